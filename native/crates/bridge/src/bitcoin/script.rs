//! Writing Bitcoin scripts as the reference's builder does.

pub(crate) const OP_NOTIF: u8 = 0x64;
pub(crate) const OP_ELSE: u8 = 0x67;
pub(crate) const OP_ENDIF: u8 = 0x68;
pub(crate) const OP_DROP: u8 = 0x75;
pub(crate) const OP_CHECKMULTISIG: u8 = 0xae;
pub(crate) const OP_CHECKSEQUENCEVERIFY: u8 = 0xb2;
const OP_1: u8 = 0x51;
const OP_PUSHDATA1: u8 = 0x4c;

/// A script in the making.
#[derive(Default)]
pub(crate) struct ScriptBuilder(Vec<u8>);

impl ScriptBuilder {
    pub(crate) fn op(&mut self, op: u8) -> &mut Self {
        self.0.push(op);
        self
    }

    /// Pushes data of at most 255 bytes; one byte of 1 to 16 becomes an opcode.
    pub(crate) fn data(&mut self, data: &[u8]) -> &mut Self {
        match data {
            [small @ 1..=16] => self.0.push(OP_1 + small - 1),
            _ => {
                if data.len() >= usize::from(OP_PUSHDATA1) {
                    self.0.push(OP_PUSHDATA1);
                }
                self.0.push(data.len() as u8);
                self.0.extend_from_slice(data);
            }
        }
        self
    }

    /// A count of keys or signatures: an opcode below 16, data from 16 on.
    pub(crate) fn number(&mut self, number: usize) -> &mut Self {
        match number {
            1..=15 => self.0.push(OP_1 + number as u8 - 1),
            _ => self.0.extend_from_slice(&[1, number as u8]),
        }
        self
    }

    pub(crate) fn raw(&mut self, script: &[u8]) -> &mut Self {
        self.0.extend_from_slice(script);
        self
    }

    pub(crate) fn finish(self) -> Vec<u8> {
        self.0
    }
}

/// Minimal little-endian bytes of a positive script number.
pub(crate) fn signed_le(value: u32) -> Vec<u8> {
    let mut bytes: Vec<u8> = value.to_le_bytes().to_vec();
    while bytes.len() > 1 && bytes.ends_with(&[0]) && bytes[bytes.len() - 2] & 0x80 == 0 {
        bytes.pop();
    }
    if bytes.last().is_some_and(|byte| byte & 0x80 != 0) {
        bytes.push(0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_numbers_are_minimal_and_positive() {
        assert_eq!(signed_le(52_560), [0x50, 0xcd, 0]);
        assert_eq!(signed_le(500), [0xf4, 1]);
        assert_eq!(signed_le(127), [127]);
        assert_eq!(signed_le(128), [128, 0]);
    }
}
