//! Structural rules of transactions (bridge.md §4.2 step 3).

use std::collections::HashSet;

use thiserror::Error;

use super::{MAX_MONEY, Transaction};

/// Longest transaction that passes [`Transaction::verify`].
const MAX_BYTES: usize = 1_000_000;

/// Lengths of a coinbase's script.
const COINBASE_SCRIPT_BYTES: std::ops::RangeInclusive<usize> = 2..=100;

/// Reason why a parsed transaction is structurally invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TransactionViolation {
    /// No inputs or no outputs.
    #[error("the Bitcoin transaction has no inputs or no outputs")]
    Empty,
    /// Too many bytes.
    #[error("the Bitcoin transaction has more than a million bytes")]
    TooLarge,
    /// Two inputs spend the same output.
    #[error("the Bitcoin transaction spends an output twice")]
    DuplicateOutPoint,
    /// A negative output.
    #[error("the Bitcoin transaction has a negative output")]
    NegativeValue,
    /// More satoshi than can exist.
    #[error("the outputs of the Bitcoin transaction are worth more than can exist")]
    ExcessiveValue,
    /// The script of a coinbase is too short or too long.
    #[error("the script of a coinbase has 2 to 100 bytes")]
    CoinbaseScript,
    /// A coinbase input besides others.
    #[error("an input of the Bitcoin transaction spends nothing")]
    UnexpectedCoinbaseInput,
}

impl Transaction {
    /// Structural rules of a transaction that was read from `bytes_read` bytes (bridge.md §4.2 step 3).
    ///
    /// # Errors
    /// The first violated rule.
    pub fn verify(&self, bytes_read: usize) -> Result<(), TransactionViolation> {
        if self.inputs.is_empty() || self.outputs.is_empty() {
            return Err(TransactionViolation::Empty);
        }
        if bytes_read > MAX_BYTES {
            return Err(TransactionViolation::TooLarge);
        }
        let mut spent = HashSet::with_capacity(self.inputs.len());
        if !self.inputs.iter().all(|input| spent.insert(input.previous)) {
            return Err(TransactionViolation::DuplicateOutPoint);
        }
        let mut sum = 0_i64;
        for output in &self.outputs {
            if output.value < 0 {
                return Err(TransactionViolation::NegativeValue);
            }
            sum = sum.checked_add(output.value).ok_or(TransactionViolation::ExcessiveValue)?;
            if sum > MAX_MONEY {
                return Err(TransactionViolation::ExcessiveValue);
            }
        }
        if self.is_coinbase() {
            let script = self.inputs.first().map_or(0, |input| input.script.len());
            if !COINBASE_SCRIPT_BYTES.contains(&script) {
                return Err(TransactionViolation::CoinbaseScript);
            }
        } else if self.inputs.iter().any(|input| input.previous.is_coinbase()) {
            return Err(TransactionViolation::UnexpectedCoinbaseInput);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use rhizome_primitives::B256;

    use super::*;
    use crate::transaction::OutPoint;
    use crate::transaction::tests::transaction;

    #[test]
    fn structural_rules() {
        let verify = |made: &Transaction| made.verify(100);
        assert_eq!(verify(&transaction(&[1, MAX_MONEY - 1])), Ok(()));
        assert_eq!(verify(&transaction(&[1, MAX_MONEY])), Err(TransactionViolation::ExcessiveValue));
        assert_eq!(verify(&transaction(&[1, i64::MAX])), Err(TransactionViolation::ExcessiveValue));
        assert_eq!(verify(&transaction(&[-1])), Err(TransactionViolation::NegativeValue));
        assert_eq!(verify(&transaction(&[])), Err(TransactionViolation::Empty));
        assert_eq!(transaction(&[1]).verify(1_000_000), Ok(()));
        assert_eq!(transaction(&[1]).verify(1_000_001), Err(TransactionViolation::TooLarge));
        let mut twice = transaction(&[1]);
        twice.inputs.push(twice.inputs[0].clone());
        assert_eq!(verify(&twice), Err(TransactionViolation::DuplicateOutPoint));
        let mut coinbase = transaction(&[1]);
        coinbase.inputs[0].previous = OutPoint { txid: B256::ZERO, index: u32::MAX };
        assert_eq!(verify(&coinbase), Err(TransactionViolation::CoinbaseScript));
        coinbase.inputs[0].script = vec![0; 100];
        assert_eq!(verify(&coinbase), Ok(()));
        coinbase.inputs.push(transaction(&[]).inputs[0].clone());
        assert_eq!(verify(&coinbase), Err(TransactionViolation::UnexpectedCoinbaseInput));
    }
}
