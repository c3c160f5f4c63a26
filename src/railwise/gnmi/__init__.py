"""The gNMI protocol as messages, paths and method names, for whoever asks switches and whoever plays one."""
