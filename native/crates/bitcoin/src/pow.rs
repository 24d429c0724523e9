//! Proof of work of a header (consensus.md §3.2).

use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::{B256, U256};

use crate::coinbase::CompressedCoinbase;
use crate::error::{MerkleError, PowError};
use crate::fallback;
use crate::header::{block_hash, hash_as_number, merkle_root, read_header};
use crate::merkle::{check_proof, check_proof_length};
use crate::partial_merkle_tree::PartialMerkleTree;
use crate::target::target_from_difficulty;

/// Fields of the header that the rules read.
#[derive(Clone, Copy, Debug)]
pub struct MergedMining<'a> {
    /// Hash that the Bitcoin coinbase commits to (consensus.md §2.4); None when the header has none:
    /// fork detection data missing from the coinbase, or a UMM root that is not 20 bytes long.
    pub hash_for_merged_mining: Option<B256>,
    /// Difficulty of the header.
    pub difficulty: U256,
    /// Height of the header.
    pub number: u64,
    /// Bitcoin header; before RSKIP98 a signature may stand in its place.
    pub bitcoin_header: Option<&'a [u8]>,
    /// Merkle proof; None is not the same as empty, which proves a block of one transaction.
    pub merkle_proof: Option<&'a [u8]>,
    /// Compressed coinbase.
    pub coinbase: Option<&'a [u8]>,
    /// Rules that are active at the height.
    pub rules: RuleSet,
    /// The network's largest difficulty at which a block may be signed instead (consensus.md §1.1).
    pub fallback_mining_difficulty: U256,
}

/// Checks a header's proof of work. Returns the first broken rule in the order of consensus.md §3.2.
pub fn check_proof_of_work(mining: &MergedMining<'_>) -> Result<(), PowError> {
    let hash = || mining.hash_for_merged_mining.ok_or(PowError::HashForMergedMiningMissing);
    if is_fallback(mining) {
        return Ok(fallback::check_signature(mining.bitcoin_header, &hash()?, mining.number)?);
    }
    let proof = MerkleProof::read(mining)?;
    let coinbase = mining.coinbase.ok_or(PowError::CoinbaseMissing)?;
    let header = mining.bitcoin_header.ok_or(PowError::BitcoinHeaderMissing)?;
    let header = read_header(header, mining.rules.active(Rule::Rskip98))?;
    let (value, target) = (hash_as_number(&block_hash(header)), target_from_difficulty(mining.difficulty));
    if value > target {
        return Err(PowError::HashAboveTarget { hash: value, target });
    }
    let coinbase = CompressedCoinbase::read(coinbase)?;
    coinbase.check_commitment(&hash()?)?;
    Ok(proof.check(&coinbase.transaction_id(), &merkle_root(header))?)
}

/// True when a signature replaces the proof of work: the header has neither coinbase nor proof, and height and difficulty
/// allow it.
fn is_fallback(mining: &MergedMining<'_>) -> bool {
    mining.coinbase.is_none()
        && mining.merkle_proof.is_none_or(<[u8]>::is_empty)
        && !mining.rules.active(Rule::Rskip98)
        && mining.difficulty <= mining.fallback_mining_difficulty
}

enum MerkleProof<'a> {
    Siblings(&'a [u8]),
    PartialTree(PartialMerkleTree<'a>),
}

impl<'a> MerkleProof<'a> {
    fn read(mining: &MergedMining<'a>) -> Result<Self, PowError> {
        let bytes = mining.merkle_proof.ok_or(PowError::ProofMissing)?;
        if !mining.rules.active(Rule::Rskip92) {
            return PartialMerkleTree::read(bytes)
                .map(Self::PartialTree)
                .map_err(|error| MerkleError::from(error).into());
        }
        check_proof_length(bytes, mining.rules.active(Rule::Rskip180))?;
        Ok(Self::Siblings(bytes))
    }

    fn check(&self, coinbase_id: &B256, root: &B256) -> Result<(), MerkleError> {
        match self {
            Self::Siblings(proof) => check_proof(proof, coinbase_id, root),
            Self::PartialTree(tree) => tree.check(coinbase_id, root),
        }
    }
}
