//! Merged mining: the proof-of-work rules over Bitcoin headers, coinbases and Merkle proofs
