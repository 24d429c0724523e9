//! Estimated size of a peg-out transaction (bridge.md §4.3).

use rhizome_primitives::bridge_spec::FederationFormat;
use rhizome_primitives::rules::{Rule, RuleSet};

use crate::federation::Federation;

/// Serialised signature, legacy and later estimate alike.
const SIGNATURE: usize = 72;
/// An output to a script hash: value, length, script.
const SCRIPT_HASH_OUTPUT: usize = 8 + 1 + 23;

/// Bytes, or virtual bytes under a segwit federation, of a transaction that spends `inputs` outputs of
/// the federation and makes `outputs`.
pub(crate) fn pegout_size(rules: RuleSet, federation: &Federation, inputs: usize, outputs: usize) -> usize {
    let redeem = federation.redeem_script.len();
    let signatures = federation.threshold() * SIGNATURE;
    if !rules.active(Rule::Rskip271) {
        return 4 + (signatures + redeem + 1 + 40) * inputs + (25 + 1 + 9) * outputs;
    }
    let outer = 4 + varint(outputs) + SCRIPT_HASH_OUTPUT * outputs + 4;
    if federation.format == FederationFormat::P2shP2wshErp {
        // The estimate serialises no inputs and adds the script signature of each by hand.
        let base = outer + varint(0) + 36 * inputs;
        let total = base + signatures * inputs + redeem * inputs;
        return (total + 3 * base) / 4;
    }
    let input = 36 + varint(redeem) + redeem + 4;
    outer + varint(inputs) + input * inputs + signatures * inputs
}

/// Length of a Bitcoin variable-length integer.
fn varint(value: usize) -> usize {
    match value {
        0..=0xfc => 1,
        0xfd..=0xffff => 3,
        0x1_0000..=0xffff_ffff => 5,
        _ => 9,
    }
}
