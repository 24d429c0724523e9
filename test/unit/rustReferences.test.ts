import t from 'tap'
import { rustReferences } from '../structure/rustReferences.ts'

const ROOT = 'native/crates/one/src'

/** References of a crate, as `from → to` without the folder. */
function referencesOf(files: Readonly<Record<string, string>>): string[] {
  const texts = new Map(Object.entries(files).map(([path, text]) => [`${ROOT}/${path}`, text]))
  return rustReferences(texts)
    .map(({ from, to }) => `${from} → ${to}`.replaceAll(`${ROOT}/`, ''))
    .sort()
}

t.test('a use names the file that declares it, also where others pass it on', (t) => {
  const files = {
    'lib.rs': 'mod a;\nmod b;\npub use a::deep::{Deep, other as renamed};\npub use b::*;',
    'a/mod.rs': 'pub mod deep;\npub struct Own;',
    'a/deep.rs': 'pub struct Deep;\npub fn other() {}',
    'b.rs': 'pub enum Global { One }',
    'c.rs': 'use crate::{Deep, a::{self, Own}, Global};',
    'd.rs': 'use super::renamed;',
  }
  t.same(referencesOf(files), ['c.rs → a/deep.rs', 'c.rs → a/mod.rs', 'c.rs → b.rs', 'd.rs → a/deep.rs'])
  t.end()
})

t.test('paths in the text count; comments, tests and other crates do not', (t) => {
  const files = {
    'lib.rs': 'mod a;\nmod b;\nuse std::collections::HashMap;\npub fn run() { a::run(); }',
    'a.rs': '// crate::b::hidden\npub fn run() { crate::b::seen() }',
    'b.rs': 'pub fn seen() {}\n#[cfg(test)]\nmod tests {\n use crate::a::run;\n}',
    'b/tests.rs': 'use crate::a::run;',
    'main.rs': 'use one::run;',
  }
  t.same(referencesOf(files), ['a.rs → b.rs', 'lib.rs → a.rs'])
  t.end()
})

t.test('names of the parent belong to it unless it has them of another file', (t) => {
  const files = {
    'lib.rs': 'mod a;\nuse a::Inner;\npub struct Outer;',
    'a.rs': 'use super::Outer;\npub struct Inner;',
    'b.rs': 'use super::{Inner, Outer};\nuse super::*;',
  }
  t.same(referencesOf(files), ['a.rs → lib.rs', 'b.rs → a.rs', 'b.rs → lib.rs', 'lib.rs → a.rs'])
  t.end()
})
