//! Proof of work.

use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Buffer, Uint8Array};
use napi::{Env, Task};
use napi_derive::napi;
use rhizome_bitcoin::{
    Control, MergedMining, Solution, Template, check_proof_of_work, compress_coinbase, mine, target_from_difficulty,
};

use rhizome_primitives::{B256, U256};

use crate::bytes;
use crate::errors::{Result, invalid};
use crate::spec::ChainSpec;

/// Fields of a header that the proof-of-work rules read. Null means absent, which differs from empty.
#[napi(object)]
pub struct ProofOfWork {
    /// Hash that the Bitcoin coinbase commits to; null when the header has none.
    pub hash_for_merged_mining: Option<Uint8Array>,
    /// Difficulty, big-endian.
    pub difficulty: Uint8Array,
    /// Height.
    pub number: i64,
    /// Bitcoin header.
    pub bitcoin_header: Option<Uint8Array>,
    /// Merkle proof.
    pub merkle_proof: Option<Uint8Array>,
    /// Compressed coinbase.
    pub coinbase: Option<Uint8Array>,
    /// Largest difficulty at which a block may be signed instead, big-endian.
    pub fallback_mining_difficulty: Uint8Array,
}

/// Checks the proof of work of a header (consensus.md §3.2): the first broken rule, or null.
#[napi(catch_unwind)]
pub fn proof_of_work_fault(spec: &ChainSpec, proof: ProofOfWork) -> Result<Option<String>> {
    Ok(OwnedProof::read(&proof)?.fault(&spec.inner))
}

/// Like `proofOfWorkFault` for many headers, outside the JavaScript thread: one result for each, in order.
#[napi(ts_return_type = "Promise<Array<string | null>>")]
pub fn proof_of_work_faults_aside(spec: &ChainSpec, proofs: Vec<ProofOfWork>) -> Result<AsyncTask<ProofChecking>> {
    let proofs = proofs.iter().map(OwnedProof::read).collect::<Result<_>>()?;
    Ok(AsyncTask::new(ProofChecking { spec: Arc::clone(&spec.inner), proofs }))
}

/// Checks proofs outside the JavaScript thread.
pub struct ProofChecking {
    spec: Arc<rhizome_primitives::spec::ChainSpec>,
    proofs: Vec<OwnedProof>,
}

impl Task for ProofChecking {
    type Output = Vec<Option<String>>;
    type JsValue = Vec<Option<String>>;

    fn compute(&mut self) -> napi::Result<Self::Output> {
        Ok(self.proofs.iter().map(|proof| proof.fault(&self.spec)).collect())
    }

    fn resolve(&mut self, _env: Env, faults: Self::Output) -> napi::Result<Self::JsValue> {
        Ok(faults)
    }
}

/// A [`ProofOfWork`] that can move to another thread.
struct OwnedProof {
    hash_for_merged_mining: Option<B256>,
    difficulty: U256,
    number: u64,
    bitcoin_header: Option<Vec<u8>>,
    merkle_proof: Option<Vec<u8>>,
    coinbase: Option<Vec<u8>>,
    fallback_mining_difficulty: U256,
}

impl OwnedProof {
    fn read(proof: &ProofOfWork) -> Result<Self> {
        let owned = |bytes: &Option<Uint8Array>| bytes.as_ref().map(|bytes| bytes.to_vec());
        let hash = proof.hash_for_merged_mining.as_ref();
        Ok(Self {
            hash_for_merged_mining: hash.map(|hash| bytes::hash("hashForMergedMining", hash)).transpose()?,
            difficulty: bytes::uint("difficulty", &proof.difficulty)?,
            number: u64::try_from(proof.number).map_err(invalid)?,
            bitcoin_header: owned(&proof.bitcoin_header),
            merkle_proof: owned(&proof.merkle_proof),
            coinbase: owned(&proof.coinbase),
            fallback_mining_difficulty: bytes::uint("fallbackMiningDifficulty", &proof.fallback_mining_difficulty)?,
        })
    }

    fn fault(&self, spec: &rhizome_primitives::spec::ChainSpec) -> Option<String> {
        let mining = MergedMining {
            hash_for_merged_mining: self.hash_for_merged_mining,
            difficulty: self.difficulty,
            number: self.number,
            bitcoin_header: self.bitcoin_header.as_deref(),
            merkle_proof: self.merkle_proof.as_deref(),
            coinbase: self.coinbase.as_deref(),
            rules: spec.rules_at(self.number),
            fallback_mining_difficulty: self.fallback_mining_difficulty,
        };
        check_proof_of_work(&mining).err().map(|fault| fault.to_string())
    }
}

/// Largest Bitcoin block hash, as a number, that proves a difficulty: 32 bytes, big-endian.
#[napi(catch_unwind)]
pub fn mining_target(difficulty: Uint8Array) -> Result<Buffer> {
    let target = target_from_difficulty(bytes::uint("difficulty", &difficulty)?);
    Ok(target.to_be_bytes_vec().into())
}

/// The merged-mining fields of a header.
#[napi(object)]
pub struct MiningFields {
    /// Bitcoin header, 80 bytes.
    pub bitcoin_header: Buffer,
    /// Merkle proof; empty for a block of one transaction.
    pub merkle_proof: Buffer,
    /// Compressed coinbase.
    pub coinbase: Buffer,
}

/// Searches for a Bitcoin block of one transaction that proves a difficulty, for the development chain, where that
/// takes a few attempts. `time` is the Bitcoin header's, in seconds. Null when no nonce fits.
#[napi(catch_unwind)]
pub fn solve_proof_of_work(
    hash_for_merged_mining: Uint8Array,
    difficulty: Uint8Array,
    time: u32,
) -> Result<Option<MiningFields>> {
    let target = target_from_difficulty(bytes::uint("difficulty", &difficulty)?);
    let hash = bytes::hash("hashForMergedMining", &hash_for_merged_mining)?;
    Ok(mine(&hash, target, time, &Control::default()).map(MiningFields::from))
}

/// The merged-mining fields for the template of a work (src/mining/README.md) and the eight bytes of a nonce.
#[napi(catch_unwind)]
pub fn solve_template(hash_for_merged_mining: Uint8Array, time: u32, nonce: Uint8Array) -> Result<MiningFields> {
    let hash = bytes::hash("hashForMergedMining", &hash_for_merged_mining)?;
    let nonce = nonce.as_ref().try_into().map_err(|_| invalid(format!("nonce: {} bytes instead of 8", nonce.len())))?;
    Ok(Template::solve(&hash, time, nonce).into())
}

impl From<Solution> for MiningFields {
    fn from(solution: Solution) -> Self {
        Self {
            bitcoin_header: solution.bitcoin_header.to_vec().into(),
            merkle_proof: solution.merkle_proof.into(),
            coinbase: solution.compressed_coinbase.into(),
        }
    }
}

/// A serialised coinbase without witness, compressed as headers carry it: midstate (40 bytes) and tail. Null when it
/// has no merged-mining tag.
#[napi(catch_unwind)]
pub fn compress_bitcoin_coinbase(coinbase: Uint8Array) -> Option<Buffer> {
    compress_coinbase(&coinbase).map(Buffer::from)
}
