//! The list of the precompiled contracts and their dispatch (evm.md §4.0, consensus.md §1.5).

use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, Bytes, U256, address};

use crate::ethereum::{
    blake2f, bn128_add, bn128_mul, bn128_pairing, ecrecover, identity, modexp, ripemd160, secp256k1_add, secp256k1_mul,
    sha256,
};
use crate::{block_header, environment, hd_wallet, remasc};

macro_rules! precompiles {
    ($($(#[$doc:meta])* $name:ident = $number:literal $address:literal $rule:expr;)+) => {
        /// A precompiled contract.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Precompile { $($(#[$doc])* $name),+ }

        impl Precompile {
            /// Every precompiled contract, active or not.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// Its address.
            pub const fn address(self) -> Address {
                match self { $(Self::$name => address!($address)),+ }
            }

            /// The rule that introduces it; None for those that always exist. When such a rule becomes active, the
            /// account is overwritten and gets the contract marker; the others get theirs with RSKIP126 (consensus.md
            /// §1.5).
            pub const fn rule(self) -> Option<Rule> {
                match self { $(Self::$name => $rule),+ }
            }

            const fn by_number(number: u64) -> Option<Self> {
                match number { $($number => Some(Self::$name),)+ _ => None }
            }
        }
    };
}

precompiles! {
    /// `0x…01`: signer of a hash.
    EcRecover = 1 "0000000000000000000000000000000000000001" None;
    /// `0x…02`
    Sha256 = 2 "0000000000000000000000000000000000000002" None;
    /// `0x…03`
    Ripemd160 = 3 "0000000000000000000000000000000000000003" None;
    /// `0x…04`: copy of the input.
    Identity = 4 "0000000000000000000000000000000000000004" None;
    /// `0x…05`: modular exponentiation.
    ModExp = 5 "0000000000000000000000000000000000000005" None;
    /// `0x…01000006`: the two-way peg.
    Bridge = 0x0100_0006 "0000000000000000000000000000000001000006" None;
    /// `0x…01000008`: payment of fees.
    Remasc = 0x0100_0008 "0000000000000000000000000000000001000008" None;
    /// `0x…01000009`: Bitcoin addresses and keys.
    HdWalletUtils = 0x0100_0009 "0000000000000000000000000000000001000009" Some(Rule::Rskip106);
    /// `0x…01000010`: fields of ancestors.
    BlockHeader = 0x0100_0010 "0000000000000000000000000000000001000010" Some(Rule::Rskip119);
    /// `0x…06`
    Bn128Add = 6 "0000000000000000000000000000000000000006" Some(Rule::Rskip137);
    /// `0x…07`
    Bn128Mul = 7 "0000000000000000000000000000000000000007" Some(Rule::Rskip137);
    /// `0x…08`
    Bn128Pairing = 8 "0000000000000000000000000000000000000008" Some(Rule::Rskip137);
    /// `0x…09`
    Blake2F = 9 "0000000000000000000000000000000000000009" Some(Rule::Rskip153);
    /// `0x…01000011`: depth of the call stack.
    Environment = 0x0100_0011 "0000000000000000000000000000000001000011" Some(Rule::Rskip203);
    /// `0x…01000016`
    Secp256k1Add = 0x0100_0016 "0000000000000000000000000000000001000016" Some(Rule::Rskip516);
    /// `0x…01000017`
    Secp256k1Mul = 0x0100_0017 "0000000000000000000000000000000001000017" Some(Rule::Rskip516);
}

impl Precompile {
    /// The contract at an address given as a stack word, if the rules have it. All 256 bits count: a word with dirty
    /// upper bytes is no precompiled contract.
    #[inline]
    pub fn lookup(word: U256, rules: RuleSet) -> Option<Self> {
        let [number, 0, 0, 0] = *word.as_limbs() else { return None };
        Self::by_number(number).filter(|contract| contract.is_active(rules))
    }

    /// Contracts that exist from genesis on and get their contract marker with RSKIP126.
    pub fn always_active() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|contract| contract.rule().is_none())
    }

    /// Contracts whose rule starts exactly at this height: their accounts are overwritten with empty ones before the
    /// first transaction.
    pub fn activating(spec: &ChainSpec, number: u64) -> impl Iterator<Item = Self> {
        let starts = move |contract: &Self| contract.rule().is_some_and(|rule| spec.activating(rule, number));
        Self::ALL.iter().copied().filter(starts)
    }

    /// True when the rules have it.
    pub fn is_active(self, rules: RuleSet) -> bool {
        self.rule().is_none_or(|rule| rules.active(rule))
    }

    /// Length to which a caller's input is truncated since RSKIP516; None for no limit.
    pub fn max_input(self, rules: RuleSet) -> Option<usize> {
        if !rules.active(Rule::Rskip516) {
            return None;
        }
        match self {
            Self::EcRecover => Some(ecrecover::MAX_INPUT),
            Self::Bn128Add => Some(bn128_add::MAX_INPUT),
            Self::Bn128Mul => Some(bn128_mul::MAX_INPUT),
            Self::Blake2F => Some(blake2f::MAX_INPUT),
            Self::Secp256k1Add => Some(secp256k1_add::MAX_INPUT),
            Self::Secp256k1Mul => Some(secp256k1_mul::MAX_INPUT),
            _ => None,
        }
    }

    /// True when the contract reads the hash of the (internal) transaction that it runs in.
    pub fn uses_transaction_hash(self) -> bool {
        self == Self::Bridge
    }

    /// Minimum gas of a contract's call with this input: computing the price may take longer than less gas pays for, so
    /// a call below it fails without being priced. Not for transactions, which may be free.
    pub fn least_gas(self, rules: RuleSet, input: &[u8]) -> u64 {
        match self {
            // Before RSKIP88 a call from a contract halts the caller, whatever its gas.
            Self::Bridge if rules.active(Rule::Rskip88) => rhizome_bridge::least_gas(input),
            _ => 0,
        }
    }

    /// Price in gas. `input` is None when a transaction has no data. The Bridge may write to the
    /// state to find its price.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when the price cannot be computed: halts the calling frame (evm.md
    /// §4.1 step 8).
    pub fn gas(
        self,
        context: &ContractContext,
        state: &mut dyn ContractState,
        input: Option<&[u8]>,
    ) -> Result<u64, ContractError> {
        match self {
            Self::Bridge => rhizome_bridge::gas(context, state, input),
            Self::Remasc | Self::Environment => Ok(0),
            Self::HdWalletUtils => Ok(hd_wallet::gas(input)),
            Self::BlockHeader => Ok(block_header::gas(context.rules, input)),
            Self::EcRecover => ecrecover::gas(context.rules, input),
            Self::Sha256 => sha256::gas(context.rules, input),
            Self::Ripemd160 => ripemd160::gas(context.rules, input),
            Self::Identity => identity::gas(context.rules, input),
            Self::ModExp => modexp::gas(context.rules, input),
            Self::Bn128Add => bn128_add::gas(context.rules, input),
            Self::Bn128Mul => bn128_mul::gas(context.rules, input),
            Self::Bn128Pairing => bn128_pairing::gas(context.rules, input),
            Self::Blake2F => blake2f::gas(context.rules, input),
            Self::Secp256k1Add => secp256k1_add::gas(context.rules, input),
            Self::Secp256k1Mul => secp256k1_mul::gas(context.rules, input),
        }
    }

    /// Output of the contract; None where the reference has null, which fails a call from a contract
    /// (evm.md §4.1 step 7).
    ///
    /// # Errors
    /// [`ContractError::Failed`] when the contract throws; evm.md §3.3 and evm.md §4.1 rule the consequences.
    pub fn run(
        self,
        context: &ContractContext,
        state: &mut dyn ContractState,
        input: Option<&[u8]>,
    ) -> Result<Option<Bytes>, ContractError> {
        match self {
            Self::Bridge => rhizome_bridge::run(context, state, input),
            Self::Remasc => remasc::run(context, state, input),
            Self::HdWalletUtils => hd_wallet::run(input),
            Self::BlockHeader => block_header::run(context, input),
            Self::Environment => environment::run(context, input),
            Self::EcRecover => ecrecover::run(context.rules, input),
            Self::Sha256 => sha256::run(context.rules, input),
            Self::Ripemd160 => ripemd160::run(context.rules, input),
            Self::Identity => identity::run(context.rules, input),
            Self::ModExp => modexp::run(state, input),
            Self::Bn128Add => bn128_add::run(context.rules, input),
            Self::Bn128Mul => bn128_mul::run(context.rules, input),
            Self::Bn128Pairing => bn128_pairing::run(context.rules, state, input),
            Self::Blake2F => blake2f::run(context.rules, state, input),
            Self::Secp256k1Add => secp256k1_add::run(context.rules, input),
            Self::Secp256k1Mul => secp256k1_mul::run(context.rules, input),
        }
    }
}
