//! Scripts in the notation of the lists: numbers, names of opcodes, raw bytes and quoted text, separated by white
//! space.

use rhizome_bitcoin::ScriptBuilder;
use rhizome_primitives::hex;

/// Names of opcodes from 0x61 on.
const NAMES: &[&str] = &[
    "NOP",
    "VER",
    "IF",
    "NOTIF",
    "VERIF",
    "VERNOTIF",
    "ELSE",
    "ENDIF",
    "VERIFY",
    "RETURN",
    "TOALTSTACK",
    "FROMALTSTACK",
    "2DROP",
    "2DUP",
    "3DUP",
    "2OVER",
    "2ROT",
    "2SWAP",
    "IFDUP",
    "DEPTH",
    "DROP",
    "DUP",
    "NIP",
    "OVER",
    "PICK",
    "ROLL",
    "ROT",
    "SWAP",
    "TUCK",
    "CAT",
    "SUBSTR",
    "LEFT",
    "RIGHT",
    "SIZE",
    "INVERT",
    "AND",
    "OR",
    "XOR",
    "EQUAL",
    "EQUALVERIFY",
    "RESERVED1",
    "RESERVED2",
    "1ADD",
    "1SUB",
    "2MUL",
    "2DIV",
    "NEGATE",
    "ABS",
    "NOT",
    "0NOTEQUAL",
    "ADD",
    "SUB",
    "MUL",
    "DIV",
    "MOD",
    "LSHIFT",
    "RSHIFT",
    "BOOLAND",
    "BOOLOR",
    "NUMEQUAL",
    "NUMEQUALVERIFY",
    "NUMNOTEQUAL",
    "LESSTHAN",
    "GREATERTHAN",
    "LESSTHANOREQUAL",
    "GREATERTHANOREQUAL",
    "MIN",
    "MAX",
    "WITHIN",
    "RIPEMD160",
    "SHA1",
    "SHA256",
    "HASH160",
    "HASH256",
    "CODESEPARATOR",
    "CHECKSIG",
    "CHECKSIGVERIFY",
    "CHECKMULTISIG",
    "CHECKMULTISIGVERIFY",
    "NOP1",
    "CHECKLOCKTIMEVERIFY",
    "CHECKSEQUENCEVERIFY",
    "NOP4",
    "NOP5",
    "NOP6",
    "NOP7",
    "NOP8",
    "NOP9",
    "NOP10",
];
/// Alternative names of some.
const OTHER_NAMES: &[(&str, u8)] =
    &[("NOP2", 0xb1), ("NOP3", 0xb2), ("RESERVED", 0x50), ("1NEGATE", 0x4f), ("INVALIDOPCODE", 0xff)];
const FIRST_NAMED: u8 = 0x61;

/// The bytes of a script; None for an invalid word.
pub(super) fn assemble(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    for word in text.split_ascii_whitespace() {
        if let Ok(number) = word.parse::<i64>() {
            out.extend(pushed_number(number));
        } else if let Some(raw) = word.strip_prefix("0x") {
            out.extend(hex::decode(raw).ok()?);
        } else if let Some(quoted) = word.strip_prefix('\'').and_then(|word| word.strip_suffix('\'')) {
            out.extend(pushed(quoted.as_bytes()));
        } else {
            out.push(opcode(word.strip_prefix("OP_").unwrap_or(word))?);
        }
    }
    Some(out)
}

fn opcode(name: &str) -> Option<u8> {
    let at = NAMES.iter().position(|known| *known == name).map(|at| FIRST_NAMED + at as u8);
    at.or_else(|| OTHER_NAMES.iter().find(|(known, _)| *known == name).map(|(_, opcode)| *opcode))
}

fn pushed_number(number: i64) -> Vec<u8> {
    match number {
        0 => vec![0],
        -1 | 1..=16 => vec![(0x50 + number) as u8],
        _ => pushed(&script_number(number)),
    }
}

/// Little-endian, with the sign in the highest bit.
fn script_number(number: i64) -> Vec<u8> {
    let mut bytes = number.unsigned_abs().to_le_bytes().to_vec();
    while bytes.ends_with(&[0]) {
        bytes.pop();
    }
    if bytes.last().is_some_and(|last| last & 0x80 != 0) {
        bytes.push(0);
    }
    if let Some(last) = bytes.last_mut().filter(|_| number < 0) {
        *last |= 0x80;
    }
    bytes
}

/// A push whose form does not depend on the contents of the data.
fn pushed(data: &[u8]) -> Vec<u8> {
    if let [_] = data {
        return vec![1, data[0]];
    }
    let mut builder = ScriptBuilder::default();
    builder.data(data);
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words() {
        let bytes = |text| assemble(text).map(hex::encode);
        assert_eq!(bytes("0 1 16 -1 17 -17 128 -255").as_deref(), Some("0051604f0111019102800002ff80"));
        assert_eq!(bytes(" 0x4c02 'ab'  'a' ").as_deref(), Some("4c020261620161"));
        assert_eq!(bytes("NOP OP_HASH160 CHECKMULTISIGVERIFY NOP3 NOP10").as_deref(), Some("61a9afb2b9"));
        assert_eq!(bytes("CHECKSEQUENCEVERIFY RESERVED OP_1NEGATE").as_deref(), Some("b2504f"));
        assert_eq!(bytes("SONATA"), None);
        assert_eq!(bytes("0x1"), None);
    }
}
