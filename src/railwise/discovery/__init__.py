"""What devices say about how they are cabled, collected live: connections, retries, files; nothing here decides."""
