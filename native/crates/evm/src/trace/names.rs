//! Names of opcodes in the reference's traces.

use revm_bytecode::OpCode;

use crate::rules::{DUPN, SWAPN, TXINDEX};

/// Name of an opcode of any height; None for a byte that never was one (evm.md §6.1).
pub fn opcode_name(opcode: u8) -> Option<&'static str> {
    match opcode {
        0x20 => Some("SHA3"),
        0xff => Some("SUICIDE"),
        0xfc => Some("HEADER"),
        DUPN => Some("DUPN"),
        SWAPN => Some("SWAPN"),
        TXINDEX => Some("TXINDEX"),
        // Opcodes of Ethereum that Rootstock does not have.
        0x1e | 0x49..=0x4f | 0xe0..=0xef | 0xfe => None,
        _ => OpCode::new(opcode).map(|opcode| opcode.as_str()),
    }
}
