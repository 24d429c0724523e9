//! Why a header does not prove work: one reason per rule, in the order of consensus.md §3.2.

use rhizome_primitives::U256;
use thiserror::Error;

/// Reason why a header's proof of work is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PowError {
    /// A block of fallback mining whose signature is missing or invalid.
    #[error("fallback mining: {0}")]
    Fallback(#[from] FallbackError),
    /// No Merkle proof.
    #[error("the header has no Merkle proof")]
    ProofMissing,
    /// A Merkle proof above the limit of RSKIP180.
    #[error("a Merkle proof has at most {limit} bytes, got {length}")]
    ProofTooLong {
        /// Bytes given.
        length: usize,
        /// Bytes allowed.
        limit: usize,
    },
    /// A Merkle proof that is not a sequence of hashes (RSKIP92).
    #[error("a Merkle proof is a sequence of 32-byte hashes, got {0} bytes")]
    ProofLength(usize),
    /// No coinbase.
    #[error("the header has no compressed coinbase")]
    CoinbaseMissing,
    /// No Bitcoin header.
    #[error("the header has no Bitcoin header")]
    BitcoinHeaderMissing,
    /// A Bitcoin header that is not 80 bytes long.
    #[error("a Bitcoin header has 80 bytes, got {0}")]
    BitcoinHeaderLength(usize),
    /// Before RSKIP98 transactions may follow the Bitcoin header; these ones do not parse.
    #[error("what follows the Bitcoin header is no list of transactions")]
    BitcoinTransactions,
    /// Not enough work.
    #[error("the Bitcoin block hash {hash:#x} is above the target {target:#x}")]
    HashAboveTarget {
        /// Bitcoin block hash as a number.
        hash: U256,
        /// Largest hash allowed.
        target: U256,
    },
    /// A coinbase too short for a midstate.
    #[error("a compressed coinbase starts with 40 bytes of midstate, got {0}")]
    CoinbaseTooShort(usize),
    /// The header has no hash for merged mining: its fork detection data is not in the coinbase, or
    /// its UMM root is malformed (consensus.md §2.4).
    #[error("the header has no hash for merged mining")]
    HashForMergedMiningMissing,
    /// The tag followed by the hash for merged mining is not in the tail.
    #[error("the coinbase does not contain the tag with the hash for merged mining")]
    TagMissing,
    /// The tag starts beyond the first block of the tail.
    #[error("the tag starts at byte {0} of the coinbase tail, it must start below 64")]
    TagPosition(usize),
    /// Another tag follows.
    #[error("the tag at byte {position} of the coinbase tail is not the last, which is at {last}")]
    TagNotLast {
        /// Position of the tag with the hash.
        position: usize,
        /// Position of the last tag.
        last: usize,
    },
    /// Too many bytes after the hash.
    #[error("{0} bytes follow the hash in the coinbase, at most 128 may")]
    BytesAfterHash(usize),
    /// A coinbase as short as an inner node of a Merkle tree.
    #[error("the coinbase must be longer than 64 bytes, it states {0}")]
    CoinbaseLength(i64),
    /// The proof does not connect the coinbase to the Bitcoin header.
    #[error("Merkle proof: {0}")]
    Merkle(#[from] MerkleError),
}

/// Reason why a signature of fallback mining is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FallbackError {
    /// There is none.
    #[error("the header is not signed")]
    Missing,
    /// Not the RLP list `[v, r, s]`.
    #[error("the signature is not the list [v, r, s]")]
    Malformed,
    /// v outside 27..=30.
    #[error("v must be in 27..=30, got {0}")]
    RecoveryId(u8),
    /// r or s is not encoded as the shortest signed number.
    #[error("r and s must be the shortest signed encodings")]
    NotMinimal,
    /// s is not below floor(n/2).
    #[error("s must be below half the order")]
    HighS,
    /// No key signed this.
    #[error("the signature recovers no key")]
    NoKey,
    /// Signed with a key that is not the one of this height.
    #[error("the signature is not of the key for this height")]
    WrongKey,
}

/// Reason why a Merkle proof is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum MerkleError {
    /// Two nodes that together could be a transaction of 64 bytes.
    #[error("two nodes together form a valid transaction")]
    SixtyFourByteTransaction,
    /// The root is not the one in the Bitcoin header.
    #[error("the root differs from that of the Bitcoin header")]
    RootMismatch,
    /// The coinbase is not among the transactions that the tree proves.
    #[error("the coinbase is not among the proven transactions")]
    CoinbaseNotMatched,
    /// The partial Merkle tree is malformed.
    #[error("partial tree: {0}")]
    PartialTree(#[from] PartialTreeError),
}

/// Reason why a partial Merkle tree is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PartialTreeError {
    /// The number of bytes differs from what the counts declare.
    #[error("its size differs from the declared one")]
    Size,
    /// Zero transactions, or more than fit into a block.
    #[error("{0} transactions are not possible")]
    TransactionCount(u32),
    /// More hashes than transactions.
    #[error("it has more hashes than transactions")]
    TooManyHashes,
    /// Fewer flag bits than hashes.
    #[error("it has fewer flag bits than hashes")]
    TooFewBits,
    /// The walk ran out of flag bits.
    #[error("its flag bits end early")]
    BitsExhausted,
    /// The walk ran out of hashes.
    #[error("its hashes end early")]
    HashesExhausted,
    /// Two equal siblings (CVE-2012-2459).
    #[error("two sibling nodes are equal")]
    EqualSiblings,
    /// Bits or hashes are left over.
    #[error("it has more data than it needs")]
    Unused,
}

impl PowError {
    /// A stable name of the reason, for logs, metrics and the binding.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Fallback(_) => "POW_FALLBACK_SIGNATURE",
            Self::ProofMissing => "POW_PROOF_MISSING",
            Self::ProofTooLong { .. } => "POW_PROOF_TOO_LONG",
            Self::ProofLength(_) => "POW_PROOF_LENGTH",
            Self::CoinbaseMissing => "POW_COINBASE_MISSING",
            Self::BitcoinHeaderMissing => "POW_BITCOIN_HEADER_MISSING",
            Self::BitcoinHeaderLength(_) => "POW_BITCOIN_HEADER_LENGTH",
            Self::BitcoinTransactions => "POW_BITCOIN_TRANSACTIONS",
            Self::HashAboveTarget { .. } => "POW_HASH_ABOVE_TARGET",
            Self::CoinbaseTooShort(_) => "POW_COINBASE_TOO_SHORT",
            Self::HashForMergedMiningMissing => "POW_HASH_FOR_MERGED_MINING_MISSING",
            Self::TagMissing => "POW_TAG_MISSING",
            Self::TagPosition(_) => "POW_TAG_POSITION",
            Self::TagNotLast { .. } => "POW_TAG_NOT_LAST",
            Self::BytesAfterHash(_) => "POW_BYTES_AFTER_HASH",
            Self::CoinbaseLength(_) => "POW_COINBASE_LENGTH",
            Self::Merkle(_) => "POW_MERKLE_PROOF",
        }
    }
}
