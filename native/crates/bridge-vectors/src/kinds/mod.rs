//! The kinds of bridge-primitives lines, one function each: `in` to `out`.

mod addresses;
mod difficulty;
mod federations;
mod headers;
mod network;
mod pegins;
mod pegouts;
mod proofs;
mod releases;
mod scripts;
mod signing;
mod transactions;

use serde_json::Value;

use crate::outcome::Outcome;

/// The inputs of a kind.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// Only `in`.
    Of(fn(&Value) -> Outcome),
    /// `in` and `out`: a recorded value, such as a signature, is checked and used.
    With(fn(&Value, &Value) -> Outcome),
}

/// Every kind that is compared.
pub(crate) const KINDS: &[(&str, Kind)] = &[
    ("btcTx", Kind::Of(transactions::transaction)),
    ("btcTxFormat", Kind::Of(transactions::format)),
    ("witnessCommitment", Kind::Of(transactions::commitment)),
    ("script", Kind::Of(scripts::script)),
    ("address", Kind::Of(addresses::address)),
    ("addressBytes", Kind::Of(addresses::address_bytes)),
    ("pubkeyAddress", Kind::Of(addresses::public_key_address)),
    ("pubkey", Kind::Of(addresses::public_key)),
    ("pmtBuild", Kind::Of(proofs::partial_tree_build)),
    ("pmt", Kind::Of(proofs::partial_tree)),
    ("merkleBranch", Kind::Of(proofs::branch)),
    ("merkleBranchLimits", Kind::Of(proofs::branch_limits)),
    ("combineLeftRight", Kind::Of(proofs::combine)),
    ("header", Kind::Of(headers::header)),
    ("storedBlock", Kind::Of(headers::stored_header)),
    ("difficulty", Kind::Of(difficulty::difficulty)),
    ("compactBits", Kind::Of(headers::compact)),
    ("sighash", Kind::With(signing::sighash)),
    ("legacyHash", Kind::Of(signing::legacy_hash)),
    ("der", Kind::Of(signing::der)),
    ("correctlySpends", Kind::Of(signing::spends)),
    ("federation", Kind::With(federations::federation)),
    ("lockSender", Kind::Of(pegins::lock_sender)),
    ("peginInstructions", Kind::Of(pegins::pegin_instructions)),
    ("outpointValues", Kind::Of(pegouts::outpoint_values)),
    ("outpointValuesDecode", Kind::Of(pegouts::outpoint_values_decode)),
    ("releaseBuild", Kind::Of(releases::build)),
    ("pegoutSize", Kind::Of(releases::size)),
    ("regularPegoutSize", Kind::Of(releases::size)),
    ("confirmationOrder", Kind::With(pegouts::confirmation_order)),
];
