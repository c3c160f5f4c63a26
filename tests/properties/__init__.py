"""What must hold for every plan, whatever the cluster: each property is named after the harm it rules out."""
