//! `mutate CLASS SEED COUNT [--questions]`: mutated inputs as bridge-primitives lines with our own results, or without
//! `out`, so that the reference can answer them.

use std::io::{BufWriter, Write};
use std::process::ExitCode;

use rhizome_bridge_vectors::mutation::{CLASSES, Class, Corpus, Mutations};
use rhizome_bridge_vectors::outcome;

struct Wanted {
    class: Class,
    seed: u64,
    count: usize,
    answered: bool,
}

fn wanted() -> Option<Wanted> {
    let words: Vec<_> = std::env::args().skip(1).collect();
    let (words, flags) = words.split_at_checked(3)?;
    let class = CLASSES.iter().find(|(name, _)| *name == words[0])?.1;
    let answered = match flags {
        [] => true,
        [flag] if flag == "--questions" => false,
        _ => return None,
    };
    Some(Wanted { class, seed: words[1].parse().ok()?, count: words[2].parse().ok()?, answered })
}

fn main() -> ExitCode {
    let Some(wanted) = wanted() else {
        let names: Vec<_> = CLASSES.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: mutate {} SEED COUNT [--questions]", names.join("|"));
        return ExitCode::from(2);
    };
    let corpus = Corpus::recorded();
    let mut out = BufWriter::new(std::io::stdout().lock());
    for mut line in Mutations::new(&corpus, wanted.class, wanted.seed).take(wanted.count) {
        if wanted.answered {
            line["out"] = outcome(&line);
        }
        if writeln!(out, "{line}").is_err() {
            break;
        }
    }
    if out.flush().is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
