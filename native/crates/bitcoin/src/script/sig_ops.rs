//! Counts the signature checks of a script.

use super::chunk::parse_chunks;
use super::opcode::{OP_CHECKMULTISIG, OP_CHECKMULTISIGVERIFY, OP_CHECKSIG, OP_CHECKSIGVERIFY};

/// A check of several keys counts as this many, whatever the number of keys.
const MULTISIG_OPERATIONS: u32 = 20;

/// Signature checks in a script; none in one that does not parse.
#[must_use]
pub fn signature_operations(program: &[u8]) -> u32 {
    let chunks = parse_chunks(program).unwrap_or_default();
    chunks.iter().fold(0, |count, chunk| match chunk.opcode {
        OP_CHECKSIG | OP_CHECKSIGVERIFY => count + 1,
        OP_CHECKMULTISIG | OP_CHECKMULTISIGVERIFY => count + MULTISIG_OPERATIONS,
        _ => count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(signature_operations(&[0xac, 0xad, 0xae, 0xaf]), 42);
        assert_eq!(signature_operations(&[1, 0xac]), 0);
        assert_eq!(signature_operations(&[0xac, 5]), 0);
    }
}
