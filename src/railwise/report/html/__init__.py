"""One page that tells of a comparison to somebody who was not there: it needs no network and no other file."""
