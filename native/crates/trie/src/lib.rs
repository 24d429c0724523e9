//! The Unitrie: node formats, put and delete, hashes, keys, proofs
