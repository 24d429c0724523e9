//! Opcodes that rules refer to.

/// Pushes nothing: an empty byte string.
pub const OP_0: u8 = 0x00;
/// Pushes up to 255 bytes, preceded by their number in one byte.
pub const OP_PUSHDATA1: u8 = 0x4c;
/// Like `OP_PUSHDATA1`, with the number in two bytes.
pub const OP_PUSHDATA2: u8 = 0x4d;
/// Like `OP_PUSHDATA1`, with the number in four bytes. Opcodes above have no data.
pub const OP_PUSHDATA4: u8 = 0x4e;
/// Pushes -1.
pub const OP_1NEGATE: u8 = 0x4f;
/// Pushes 1; those above it push 2 to 16.
pub const OP_1: u8 = 0x51;
/// Pushes 16; the last opcode that only pushes.
pub const OP_16: u8 = 0x60;
/// Runs the following opcodes if the top of the stack is true.
pub const OP_IF: u8 = 0x63;
/// Runs the following opcodes if the top of the stack is false.
pub const OP_NOTIF: u8 = 0x64;
/// The other branch.
pub const OP_ELSE: u8 = 0x67;
/// End of both branches.
pub const OP_ENDIF: u8 = 0x68;
/// Ends a script that no input can spend.
pub const OP_RETURN: u8 = 0x6a;
/// Drops the top of the stack.
pub const OP_DROP: u8 = 0x75;
/// Duplicates the top of the stack.
pub const OP_DUP: u8 = 0x76;
/// True when the two top elements are equal.
pub const OP_EQUAL: u8 = 0x87;
/// The two top elements must be equal.
pub const OP_EQUALVERIFY: u8 = 0x88;
/// RIPEMD-160 of SHA-256.
pub const OP_HASH160: u8 = 0xa9;
/// The signed part starts after it.
pub const OP_CODESEPARATOR: u8 = 0xab;
/// Checks a signature.
pub const OP_CHECKSIG: u8 = 0xac;
/// Checks a signature, which must be valid.
pub const OP_CHECKSIGVERIFY: u8 = 0xad;
/// Checks m of n signatures.
pub const OP_CHECKMULTISIG: u8 = 0xae;
/// Checks m of n signatures, which must be valid.
pub const OP_CHECKMULTISIGVERIFY: u8 = 0xaf;
/// Checks the age of the output that is spent.
pub const OP_CHECKSEQUENCEVERIFY: u8 = 0xb2;

/// The number that the opcode pushes, -1 to 16.
pub(crate) const fn small_number(opcode: u8) -> Option<i32> {
    match opcode {
        OP_0 => Some(0),
        OP_1NEGATE => Some(-1),
        OP_1..=OP_16 => Some((opcode - OP_1) as i32 + 1),
        _ => None,
    }
}
