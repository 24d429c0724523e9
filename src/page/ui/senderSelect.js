/** @import { Context } from '../types.js' */
/** @import { Sender } from '../rpc/senders.js' */
import { checksumAddress } from '../chain/address.js'
import { el } from './dom.js'

/**
 * A field to choose who sends.
 * @param {Context} context
 * @param {readonly Sender[]} senders at least one
 * @param {string} id
 * @returns {{ element: HTMLElement, chosen: () => Sender | null }}
 */
export function senderSelect({ chainId }, senders, id) {
  const select = el(
    'select',
    { id },
    ...senders.map((sender, index) =>
      el(
        'option',
        { value: index },
        sender.kind === 'wallet' ? 'Wallet of the browser' : checksumAddress(sender.address, chainId),
      ),
    ),
  )
  return {
    element: el('div', { class: 'field' }, el('label', { for: id }, 'From'), select),
    chosen: () => senders[Number(select.value)] ?? null,
  }
}
