//! `pmtBuild`, `pmt`, `merkleBranch`, `merkleBranchLimits`, `combineLeftRight`.

use rhizome_bitcoin::merkle_branch::{MerkleBranch, combine_display};
use rhizome_bitcoin::partial_merkle_tree::{PartialMerkleTree, build};
use rhizome_bitcoin::reversed;
use rhizome_primitives::B256;
use serde_json::{Value, json};

use crate::hex::{bytes, hash, integer, shown};
use crate::outcome::{Outcome, Throw, or_throws};

fn hashes(value: &Value) -> Vec<B256> {
    value.as_array().into_iter().flatten().map(hash).collect()
}

pub(super) fn partial_tree_build(given: &Value) -> Outcome {
    let leaves: Vec<_> = hashes(&given["leaves"]).into_iter().map(reversed).collect();
    let matched: Vec<usize> =
        given["matched"].as_array().into_iter().flatten().map(|index| integer(index) as usize).collect();
    let raw = build(&leaves, |index| matched.contains(&index)).ok_or_else(|| Throw("no tree".into()))?;
    Ok(json!({"raw": shown(raw)}))
}

pub(super) fn partial_tree(given: &Value) -> Outcome {
    let raw = bytes(&given["raw"]);
    let parse = || -> Outcome {
        let tree = PartialMerkleTree::parse(&raw).map_err(Throw::from)?;
        let extracted = tree.extract().map_err(Throw::from)?;
        Ok(json!({
            "txCount": tree.transactions(),
            "matched": extracted.matched.into_iter().map(|id| shown(reversed(id))).collect::<Vec<_>>(),
            "root": shown(reversed(extracted.root)),
        }))
    };
    Ok(json!({"hasExpectedSize": PartialMerkleTree::has_expected_size(&raw), "parse": or_throws(parse())}))
}

fn branch_of(given: &Value, siblings: Vec<B256>) -> Result<MerkleBranch, Throw> {
    MerkleBranch::new(siblings, integer(&given["path"]) as i32).ok_or_else(|| Throw("no branch".into()))
}

pub(super) fn branch(given: &Value) -> Outcome {
    let root = branch_of(given, hashes(&given["hashes"]))?.root(hash(&given["txid"])).map_err(Throw::from)?;
    Ok(json!({"root": shown(root)}))
}

pub(super) fn branch_limits(given: &Value) -> Outcome {
    branch_of(given, vec![B256::ZERO; integer(&given["hashes"]) as usize]).map(|_| json!("ok"))
}

pub(super) fn combine(given: &Value) -> Outcome {
    let parent = combine_display(hash(&given["left"]), hash(&given["right"])).map_err(Throw::from)?;
    Ok(json!({"parent": shown(parent)}))
}
