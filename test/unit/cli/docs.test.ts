import { existsSync, readFileSync } from 'node:fs'
import t from 'tap'
import { GENERATED_DOCUMENTS, refreshDocument } from '../../../src/cli/docs.ts'
import { flagOf, OPTION_KEYS, OPTIONS } from '../../../src/config/schema.ts'

const read = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

for (const [path, sections] of Object.entries(GENERATED_DOCUMENTS)) {
  t.test(`the generated sections of ${path} are fresh (npm run docs)`, async (t) => {
    const document = read(path)
    t.equal(refreshDocument(document, sections), document)
    const [name = ''] = Object.keys(sections)
    const stale = document.replace(`<!-- generated:${name} -->\n`, `<!-- generated:${name} -->\nstale `)
    t.not(stale, document)
    t.equal(refreshDocument(stale, sections), document)
  })
}

t.test('the reference of options names every option', async (t) => {
  const reference = read('src/config/README.md')
  for (const key of OPTION_KEYS)
    t.equal(reference.includes(flagOf(key).slice(2)), !('retired' in OPTIONS[key]), key)
})

/** Links to files, with those of images; addresses of the web are not looked at. */
const LINK = /\]\((?![a-z]+:)([^)\s#]*)(#[^)\s]*)?\)/g

const slugOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\- ]/g, '')
    .trim()
    .replaceAll(' ', '-')

t.test('links of the READMEs lead somewhere', async (t) => {
  const documents = [
    ...['README.md', '.deploy/README.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md', '.ci/README.md'],
    ...['bench/README.md', 'native/README.md', 'test/clients/README.md', 'src/README.md'],
    ...['library', 'rehearsal', 'mining', 'wallet', 'page'].map((folder) => `src/${folder}/README.md`),
    ...Object.keys(GENERATED_DOCUMENTS),
  ]
  for (const path of documents) {
    const base = new URL(`../../../${path}`, import.meta.url)
    for (const [link, target = '', anchor = ''] of read(path).matchAll(LINK)) {
      const url = target === '' ? base : new URL(target, base)
      if (!existsSync(url)) t.fail(`${path}: ${link}`)
      else if (anchor !== '')
        t.ok(anchorsOf(readFileSync(url, 'utf8')).has(anchor.slice(1)), `${path}: ${link}`)
    }
    t.pass(path)
  }
})

/** Paths in code, but for those with a part in capitals, which stands for any. */
const NAMED_PATH = /`((?:src|native|test|bench|\.deploy|\.ci|\.github)\/[^\s`]*)`/g

t.test('CONTRIBUTING is short and names files that are there', async (t) => {
  const text = read('.github/CONTRIBUTING.md')
  t.ok(text.split('\n').length <= 150)
  const paths = [...text.matchAll(NAMED_PATH)].map(([, path = '']) => path)
  t.ok(paths.length > 40)
  const missing = paths.filter(
    (path) =>
      !/[A-Z]{4}/.test(path.replace('README', '').replace('CHANGELOG', '')) &&
      !existsSync(new URL(`../../../${path}`, import.meta.url)),
  )
  t.same(missing, [])
})

const anchorsOf = (document: string) =>
  new Set([...document.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => slugOf(heading)))

t.test('the README stays one that is read in five minutes', async (t) => {
  const lines = read('README.md').split('\n')
  t.ok(lines.length <= 250, `${lines.length} lines`)
  const words = lines.join(' ').split(/\s+/).length
  t.ok(words <= 3000, `${words} words`)
})
