//! Gas of a transaction before anything runs (evm.md §3.2).

use rhizome_bridge::is_free_transaction;
use rhizome_primitives::spec::ChainSpec;

use crate::rules::VmRules;
use crate::transaction::Transaction;

const CALL: u64 = 21_000;
const CREATION: u64 = 53_000;
const ZERO_BYTE: u64 = 4;
const INITCODE_WORD: u64 = 2;

/// Gas that a transaction must provide before anything runs, in a block of the given height: zero for the REMASC
/// transaction and for free ones to the Bridge (consensus.md §5.4).
pub fn basic_cost(spec: &ChainSpec, number: u64, transaction: &Transaction) -> u64 {
    let rules = VmRules::new(spec.rules_at(number));
    intrinsic(&rules, transaction, is_free(spec, &rules, transaction))
}

/// True when the transaction to the Bridge costs nothing (consensus.md §5.4).
pub(crate) fn is_free(spec: &ChainSpec, rules: &VmRules, transaction: &Transaction) -> bool {
    transaction.to == Some(rhizome_bridge::ADDRESS)
        && transaction.signature_accepted
        && is_free_transaction(spec, rules.set, transaction.sender.address())
}

/// Intrinsic gas: zero for the REMASC transaction and for free ones.
pub(crate) fn intrinsic(rules: &VmRules, transaction: &Transaction, free: bool) -> u64 {
    if transaction.remasc || free {
        return 0;
    }
    let data = &transaction.data;
    let zeros = data.iter().filter(|&&byte| byte == 0).count() as u64;
    let bytes = zeros * ZERO_BYTE + (data.len() as u64 - zeros) * rules.nonzero_byte_gas;
    match transaction.to {
        Some(_) => CALL + bytes,
        None if rules.initcode_limited => CREATION + bytes + INITCODE_WORD * data.len().div_ceil(32) as u64,
        None => CREATION + bytes,
    }
}
