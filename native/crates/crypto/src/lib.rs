//! Keccak-256, SHA-256d and secp256k1 recovery, single and batched
