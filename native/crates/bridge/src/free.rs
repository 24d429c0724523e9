//! Transactions to the Bridge that are free of charge (consensus.md §5.4).

use rhizome_primitives::Address;
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;

use crate::federation::key::rsk_address;

/// True when a signed transaction of `sender` to the Bridge is free: members of the genesis federation and the
/// authorisers of federation, whitelist and fee pay nothing until Bridge transactions are paid. The caller checks
/// receiver and signature.
pub fn is_free_transaction(spec: &ChainSpec, rules: RuleSet, sender: Address) -> bool {
    if rules.active(Rule::AreBridgeTxsPaid) {
        return false;
    }
    let authorisers = &spec.bridge.authorisers;
    [&authorisers.federation_change, &authorisers.whitelist, &authorisers.fee_per_kb]
        .into_iter()
        .any(|group| group.contains(&sender))
        || spec.bridge.federation.genesis_keys.iter().any(|key| rsk_address(&key.0) == Some(sender))
}
