/** @import { Context } from '../types.js' */
import { MAX_FILE_CHARACTERS, readArtifact } from '../abi/artifact.js'
import { visibleText } from '../chain/text.js'
import { el, fill } from '../ui/dom.js'
import { notice } from '../ui/parts.js'

/** Files of one drop: a folder of a project may have thousands. */
const MAX_FILES = 100

/**
 * Takes ABIs: files that are dropped or chosen, and text that is pasted.
 * @param {Context} context
 * @param {(names: readonly string[]) => void} onAdded
 */
export function abiForm(context, onAdded) {
  const output = el('div', { role: 'status' })
  const name = el('input', { id: 'abi-name', type: 'text', autocomplete: 'off', spellcheck: 'false' })
  const text = el('textarea', {
    id: 'abi-text',
    rows: 4,
    spellcheck: 'false',
    placeholder: '[ … ] or { "abi": [ … ] }',
  })
  const files = el('input', {
    id: 'abi-files',
    type: 'file',
    accept: '.json,application/json',
    multiple: true,
  })
  const zone = el(
    'div',
    { class: 'drop' },
    el(
      'label',
      { for: 'abi-files' },
      'Artifacts of Hardhat, Foundry or Truffle: drop them here, or choose files',
    ),
    files,
  )
  /** @param {readonly { text: () => Promise<string>, name: string }[]} sources */
  const take = async (sources) => {
    /** @type {string[]} */
    const added = []
    const problems = []
    for (const source of sources.slice(0, MAX_FILES)) {
      try {
        const artifact = readArtifact(await source.text(), {
          name: source.name.replace(/\.json$/i, '').trim() || 'Contract',
          chainId: context.chainId,
        })
        context.contracts.add(artifact)
        added.push(artifact.name)
      } catch (error) {
        problems.push(
          `${visibleText(source.name)}: ${error instanceof Error ? error.message : String(error)}`,
        )
      }
    }
    if (sources.length > MAX_FILES) problems.push(`Only the first ${MAX_FILES} files were read.`)
    if (added.length > 0) onAdded(added)
    fill(output, [
      added.length === 0 ? null : el('p', {}, `Added: ${added.map((one) => visibleText(one)).join(', ')}`),
      context.contracts.isKept
        ? null
        : notice('The browser keeps nothing for this page: they last until it is closed.'),
      ...problems.map((problem) => notice(problem)),
    ])
  }
  /** @param {Iterable<File>} list */
  const takeFiles = (list) =>
    take(
      [...list].map((file) => ({
        name: file.name,
        text: async () => {
          if (file.size > MAX_FILE_CHARACTERS) throw new Error('The file is too large for an artifact.')
          return file.text()
        },
      })),
    )
  files.addEventListener('change', () => {
    void takeFiles(files.files ?? []).then(() => {
      files.value = ''
    })
  })
  zone.addEventListener('dragover', (event) => {
    event.preventDefault()
    zone.dataset['state'] = 'over'
  })
  zone.addEventListener('dragleave', () => delete zone.dataset['state'])
  zone.addEventListener('drop', (event) => {
    event.preventDefault()
    delete zone.dataset['state']
    void takeFiles(event.dataTransfer?.files ?? [])
  })
  return el(
    'form',
    {
      class: 'try',
      on: {
        submit: (event) => {
          event.preventDefault()
          void take([{ name: name.value.trim() || 'Contract', text: async () => text.value }])
        },
      },
    },
    zone,
    el('div', { class: 'field' }, el('label', { for: 'abi-text' }, 'Or paste one'), text),
    el('div', { class: 'field' }, el('label', { for: 'abi-name' }, 'Name, where it has none'), name),
    el('button', { type: 'submit' }, 'Add'),
    output,
  )
}
