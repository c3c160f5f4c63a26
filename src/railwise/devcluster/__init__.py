"""A Kubernetes control plane of one's own: real etcd and API server on loopback, with as many fake nodes as wanted."""
