//! The words by which clients know a failure: behind the reference's text they are geth's, which indexers, libraries
//! and explorers look for, in lower case (decisions.md D31).

use std::borrow::Cow;

use crate::error::{Failure, Halt, HaltKind};

/// Error that geth has no words for: its precompiled contracts revert nothing. Indexers take it for final by the word.
const PRECOMPILE: &str = "precompiled contract reverted";
/// Geth knows none of the instructions and storage cells that these are about.
const UNKNOWN_TO_GETH: &str = "invalid opcode";

impl Halt {
    /// Geth's message; None for what geth has none for.
    pub(crate) fn in_geth(&self) -> Option<Cow<'static, str>> {
        Some(match self.kind {
            HaltKind::OutOfGas => "out of gas".into(),
            HaltKind::CodeDeposit => "contract creation code storage out of gas".into(),
            HaltKind::InvalidOpcode(0xfe) => "invalid opcode: INVALID".into(),
            HaltKind::InvalidOpcode(opcode) => format!("invalid opcode: opcode {opcode:#x} not defined").into(),
            HaltKind::BadJump => "invalid jump destination".into(),
            HaltKind::StackUnderflow | HaltKind::MissingValue => "stack underflow".into(),
            HaltKind::StackOverflow => "stack limit reached 1024".into(),
            HaltKind::StaticViolation => "write protection".into(),
            HaltKind::AddressCollision => "contract address collision".into(),
            HaltKind::CodeTooLong => "max code size exceeded".into(),
            HaltKind::InitcodeTooLong => "max initcode size exceeded".into(),
            HaltKind::CodePrefix => "invalid code: must not begin with 0xef".into(),
            HaltKind::ReturnDataOutOfBounds => "return data out of bounds".into(),
            HaltKind::HeaderBeyondCode
            | HaltKind::CellIsNoWord
            | HaltKind::BadOperand
            | HaltKind::Precompile
            | HaltKind::BridgeBeforeRskip88 => return None,
        })
    }

    /// The reference's text, and behind it the words that clients know.
    pub fn message(&self) -> String {
        let words = self.in_geth().unwrap_or(match self.kind {
            HaltKind::Precompile => PRECOMPILE.into(),
            _ => UNKNOWN_TO_GETH.into(),
        });
        format!("{}: {words}", self.text)
    }

    /// True when more gas is what it wants.
    pub(crate) fn is_want_of_gas(&self) -> bool {
        self.kind == HaltKind::OutOfGas
    }
}

impl Failure {
    /// The same failure as a halt; None for a revert, which has data instead.
    pub fn into_halt(self) -> Option<Halt> {
        match self {
            Self::Revert(_) => None,
            Self::Halt(halt) => Some(halt),
            Self::Precompile(text) => Some(Halt { kind: HaltKind::Precompile, text }),
            Self::PrecompileGas { required, .. } => {
                Some(Halt { kind: HaltKind::OutOfGas, text: format!("the contract called costs {required} gas") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_halt_has_words_behind_the_text() {
        for (kind, words) in [
            (HaltKind::OutOfGas, "out of gas"),
            (HaltKind::CodeDeposit, "contract creation code storage out of gas"),
            (HaltKind::InvalidOpcode(0xfe), "invalid opcode: INVALID"),
            (HaltKind::InvalidOpcode(0x0c), "invalid opcode: opcode 0xc not defined"),
            (HaltKind::BadJump, "invalid jump destination"),
            (HaltKind::StackUnderflow, "stack underflow"),
            (HaltKind::MissingValue, "stack underflow"),
            (HaltKind::StackOverflow, "stack limit reached 1024"),
            (HaltKind::StaticViolation, "write protection"),
            (HaltKind::AddressCollision, "contract address collision"),
            (HaltKind::CodeTooLong, "max code size exceeded"),
            (HaltKind::InitcodeTooLong, "max initcode size exceeded"),
            (HaltKind::CodePrefix, "invalid code: must not begin with 0xef"),
            (HaltKind::ReturnDataOutOfBounds, "return data out of bounds"),
            (HaltKind::HeaderBeyondCode, "invalid opcode"),
            (HaltKind::CellIsNoWord, "invalid opcode"),
            (HaltKind::BadOperand, "invalid opcode"),
            (HaltKind::BridgeBeforeRskip88, "invalid opcode"),
            (HaltKind::Precompile, "precompiled contract reverted"),
        ] {
            assert_eq!(Halt { kind, text: "text".into() }.message(), format!("text: {words}"));
        }
    }
}
