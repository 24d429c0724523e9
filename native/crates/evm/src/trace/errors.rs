//! Error messages of traces: those of geth's tracers and of Parity's traces, because explorers know them. The reference
//! shows Java class names instead (decisions.md D47).

use std::borrow::Cow;

use crate::error::{Failure, Halt, HaltKind};

/// Reason why a frame failed, for traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TraceFailure {
    Revert,
    Halt(Halt),
}

impl TraceFailure {
    /// The failure of a transaction's top frame. A precompiled contract that threw counts as success, because its
    /// receipt does (evm.md §3.3).
    pub(crate) fn of_transaction(failure: Option<&Failure>) -> Option<Self> {
        match failure? {
            Failure::Revert(_) => Some(Self::Revert),
            Failure::Halt(halt) => Some(Self::Halt(halt.clone())),
            Failure::PrecompileGas { .. } => Some(Self::Halt(Halt { kind: HaltKind::OutOfGas, text: String::new() })),
            Failure::Precompile(_) => None,
        }
    }

    /// Geth's message.
    pub(crate) fn geth(&self) -> Cow<'_, str> {
        match self {
            Self::Revert => "execution reverted".into(),
            Self::Halt(halt) => halt.in_geth().unwrap_or_else(|| halt.text.as_str().into()),
        }
    }

    /// Parity's message.
    pub(crate) fn parity(&self) -> &str {
        match self {
            Self::Revert => "Reverted",
            Self::Halt(halt) => parity_message(halt),
        }
    }
}

fn parity_message(halt: &Halt) -> &str {
    match halt.kind {
        HaltKind::OutOfGas | HaltKind::CodeDeposit => "Out of gas",
        HaltKind::InvalidOpcode(_) => "Bad instruction",
        HaltKind::BadJump => "Bad jump destination",
        HaltKind::StackUnderflow | HaltKind::MissingValue => "Stack underflow",
        HaltKind::StackOverflow => "Out of stack",
        HaltKind::StaticViolation => "Mutable Call In Static Context",
        HaltKind::AddressCollision => "Contract creation collision",
        HaltKind::CodeTooLong => "Max code size exceeded",
        HaltKind::InitcodeTooLong => "Max initcode size exceeded",
        HaltKind::CodePrefix => "Invalid code",
        HaltKind::ReturnDataOutOfBounds => "Out of bounds",
        HaltKind::Precompile => "Built-in failed",
        _ => &halt.text,
    }
}

/// The reason of a revert whose payload is `Error(string)`.
pub(crate) fn revert_reason(payload: &[u8]) -> Option<String> {
    let arguments = payload.strip_prefix(&[0x08, 0xc3, 0x79, 0xa0])?;
    let offset = small(arguments, 0)?;
    let length = small(arguments, offset)?;
    let start = offset.checked_add(32)?;
    let text = arguments.get(start..start.checked_add(length)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

/// The word at an offset, if it is a small number.
fn small(bytes: &[u8], offset: usize) -> Option<usize> {
    let word = bytes.get(offset..offset.checked_add(32)?)?;
    let (upper, lower) = word.split_at(28);
    upper.iter().all(|&byte| byte == 0).then(|| lower.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_reasons() {
        let mut payload = vec![0x08, 0xc3, 0x79, 0xa0];
        payload.extend([[0; 31].as_slice(), &[32], &[0; 31], &[2], b"no", &[0; 30]].concat());
        assert_eq!(revert_reason(&payload).as_deref(), Some("no"));
        payload[67] = 200;
        assert_eq!(revert_reason(&payload), None);
        assert_eq!(revert_reason(&[0x08, 0xc3, 0x79, 0xa0]), None);
        assert_eq!(revert_reason(&[]), None);
    }
}
