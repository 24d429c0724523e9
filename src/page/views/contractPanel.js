/** @import { Child, Context } from '../types.js' */
/** @import { AbiItem, Artifact } from '../abi/abi.js' */
/** @import { Sender } from '../rpc/senders.js' */
import { visibleText } from '../chain/text.js'
import { sendersOf } from '../rpc/senders.js'
import { el, fill } from '../ui/dom.js'
import { folded, notice, section } from '../ui/parts.js'
import { abiForm } from './abiForm.js'
import { functionForm } from './functionForm.js'

/**
 * Reads and writes a contract by its ABI, which somebody chooses or adds where the page does not know it.
 * @param {Context} context
 * @param {{ address: string, code: string }} contract its address in lower case
 * @param {AbortSignal} signal
 */
export async function contractPanel(context, { address, code }, signal) {
  const { contracts } = context
  const senders = await sendersOf(context, signal)
  const chosen = el('div', {})
  const shown = el('div', {})
  const show = () => {
    const artifact = contracts.of(address, code)
    fill(chosen, choice(artifact))
    fill(shown, artifact === null ? null : functions(context, { address, artifact, senders }, signal))
  }
  /** @param {Artifact | null} artifact */
  const choice = (artifact) => {
    const select = el(
      'select',
      {
        id: 'contract-abi',
        on: {
          change: () =>
            attach(select.value === '' ? null : (contracts.list[Number(select.value)]?.name ?? null)),
        },
      },
      el('option', { value: '' }, 'none'),
      ...contracts.list.map((one, index) =>
        el('option', { value: index, selected: one === artifact }, visibleText(one.name)),
      ),
    )
    return el('div', { class: 'field try' }, el('label', { for: 'contract-abi' }, 'ABI'), select)
  }
  /** @param {string | null} name */
  const attach = (name) => {
    try {
      contracts.attach(address, name, code)
      show()
    } catch (error) {
      fill(shown, notice(error instanceof Error ? error.message : String(error)))
    }
  }
  show()
  const add = folded(
    'Add an ABI',
    abiForm(context, (names) => attach(names[0] ?? null)),
  )
  return section('Contract', chosen, shown, add)
}

/**
 * @param {Context} context
 * @param {{ address: string, artifact: Artifact, senders: readonly Sender[] }} contract
 * @param {AbortSignal} signal
 * @returns {Child}
 */
function functions(context, { address, artifact, senders }, signal) {
  const items = context.contracts.itemsOf(artifact).filter(({ kind }) => kind === 'function')
  const isRead = (/** @type {AbiItem} */ { mutability }) => mutability === 'view' || mutability === 'pure'
  const list = (/** @type {readonly AbiItem[]} */ some) =>
    some.length === 0
      ? el('p', { class: 'quiet' }, 'None.')
      : some.map((item) => lazily(item, () => functionForm(context, { address, item, senders }, signal)))
  return [
    el('h3', {}, 'Read'),
    list(items.filter(isRead)),
    el('h3', {}, 'Write'),
    list(items.filter((item) => !isRead(item))),
  ]
}

/**
 * A folded function whose form is made when it is first opened: contracts may have hundreds.
 * @param {AbiItem} item
 * @param {() => Node} make
 */
function lazily({ signature }, make) {
  const details = el('details', {}, el('summary', {}, el('code', {}, visibleText(signature))))
  details.addEventListener('toggle', () => details.append(make()), { once: true })
  return details
}
