"""The nouns of Railwise: what a cluster, a workload and a plan are, as frozen values without behaviour of their own.

Every other room speaks in these types, so they import nothing but each other and the standard library's typing.
"""
