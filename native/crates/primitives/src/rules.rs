//! The rules (RSKIPs) that change consensus, and sets of them.

use thiserror::Error;

macro_rules! rules {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// A rule that is switched on at a height. Named after its RSKIP.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "each name is the number of its RSKIP")]
        pub enum Rule { $($variant),+ }

        impl Rule {
            /// Every rule, in declaration order.
            pub const ALL: &'static [Rule] = &[$(Rule::$variant),+];

            /// The key of the rule in configuration files, e.g. `rskip144`.
            pub const fn name(self) -> &'static str {
                match self { $(Rule::$variant => $name),+ }
            }
        }
    };
}

rules! {
    AreBridgeTxsPaid = "areBridgeTxsPaid",
    Rskip85 = "rskip85", Rskip87 = "rskip87", Rskip88 = "rskip88", Rskip89 = "rskip89",
    Rskip90 = "rskip90", Rskip91 = "rskip91", Rskip92 = "rskip92", Rskip97 = "rskip97",
    Rskip98 = "rskip98", Rskip103 = "rskip103", Rskip106 = "rskip106", Rskip110 = "rskip110",
    Rskip119 = "rskip119", Rskip120 = "rskip120", Rskip122 = "rskip122", Rskip123 = "rskip123",
    Rskip124 = "rskip124", Rskip125 = "rskip125", Rskip126 = "rskip126", Rskip132 = "rskip132",
    Rskip134 = "rskip134", Rskip136 = "rskip136", Rskip137 = "rskip137", Rskip140 = "rskip140",
    Rskip143 = "rskip143", Rskip144 = "rskip144", Rskip146 = "rskip146", Rskip150 = "rskip150",
    Rskip151 = "rskip151", Rskip152 = "rskip152", Rskip153 = "rskip153", Rskip156 = "rskip156",
    Rskip169 = "rskip169", Rskip170 = "rskip170", Rskip171 = "rskip171", Rskip174 = "rskip174",
    Rskip176 = "rskip176", Rskip179 = "rskip179", Rskip180 = "rskip180", Rskip181 = "rskip181",
    Rskip185 = "rskip185", Rskip186 = "rskip186", Rskip191 = "rskip191", Rskip197 = "rskip197",
    Rskip199 = "rskip199", Rskip200 = "rskip200", Rskip201 = "rskip201", Rskip203 = "rskip203",
    Rskip218 = "rskip218", Rskip219 = "rskip219", Rskip220 = "rskip220", Rskip252 = "rskip252",
    Rskip271 = "rskip271", Rskip284 = "rskip284", Rskip290 = "rskip290", Rskip293 = "rskip293",
    Rskip294 = "rskip294", Rskip297 = "rskip297", Rskip305 = "rskip305", Rskip326 = "rskip326",
    Rskip351 = "rskip351", Rskip353 = "rskip353", Rskip357 = "rskip357", Rskip374 = "rskip374",
    Rskip375 = "rskip375", Rskip376 = "rskip376", Rskip377 = "rskip377", Rskip379 = "rskip379",
    Rskip383 = "rskip383", Rskip385 = "rskip385", Rskip398 = "rskip398", Rskip400 = "rskip400",
    Rskip412 = "rskip412", Rskip415 = "rskip415", Rskip417 = "rskip417", Rskip419 = "rskip419",
    Rskip427 = "rskip427", Rskip428 = "rskip428", Rskip434 = "rskip434", Rskip438 = "rskip438",
    Rskip445 = "rskip445", Rskip446 = "rskip446", Rskip453 = "rskip453", Rskip454 = "rskip454",
    Rskip459 = "rskip459", Rskip460 = "rskip460", Rskip502 = "rskip502", Rskip516 = "rskip516",
    Rskip529 = "rskip529", Rskip535 = "rskip535", Rskip536 = "rskip536", Rskip540 = "rskip540",
    Rskip544 = "rskip544", Rskip551 = "rskip551", Rskip552 = "rskip552", Rskip559 = "rskip559",
    RskipUmm = "rskipUMM",
}

/// A name that is no rule.
#[derive(Debug, Error)]
#[error("unknown consensus rule {0:?}")]
pub struct UnknownRule(pub String);

impl std::str::FromStr for Rule {
    type Err = UnknownRule;

    fn from_str(name: &str) -> Result<Self, UnknownRule> {
        Self::ALL.iter().copied().find(|rule| rule.name() == name).ok_or_else(|| UnknownRule(name.to_owned()))
    }
}

/// The rules active at one height, as a bit set. Equal sets share instruction tables.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RuleSet(u128);

/// A rule more than there are bits would share the bit of the first one.
const _: () = assert!(Rule::ALL.len() <= u128::BITS as usize, "a set of rules has a bit for each rule");

impl RuleSet {
    /// No rule active.
    pub const NONE: Self = Self(0);

    /// True when the rule is active.
    #[inline]
    pub const fn active(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u8) != 0
    }

    /// This set with the rule.
    #[must_use]
    pub const fn with(self, rule: Rule) -> Self {
        Self(self.0 | 1 << rule as u8)
    }

    /// This set without the rule.
    #[must_use]
    pub const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !(1 << rule as u8))
    }

    /// True when transactions of a block run in parallel sublists and fees are paid at the end of the
    /// block: RSKIP144 and RSKIP351 are both active.
    pub const fn parallel_execution(self) -> bool {
        self.active(Rule::Rskip144) && self.active(Rule::Rskip351)
    }
}

impl FromIterator<Rule> for RuleSet {
    fn from_iter<I: IntoIterator<Item = Rule>>(rules: I) -> Self {
        rules.into_iter().fold(Self::NONE, Self::with)
    }
}
