/** @import { Context, ViewMaker } from '../types.js' */
import { readProject } from '../abi/project.js'
import { checksumAddress, isAddress, nativeName } from '../chain/address.js'
import { formatInteger, formatRbtc } from '../chain/amounts.js'
import { amount } from '../ui/amount.js'
import { el, fill } from '../ui/dom.js'
import { wholeHash } from '../ui/links.js'
import { facts, folded, heading, longText, notice, section } from '../ui/parts.js'
import { said } from '../ui/said.js'
import { accountTransactions } from './accountTransactions.js'
import { contractPanel } from './contractPanel.js'
import { missing } from './notFound.js'
import { recentLogs } from './recentLogs.js'
import { tokenSection } from './token.js'
import { transfersSection } from './transfers.js'

const POSITION = /^(0x[0-9a-fA-F]{1,64}|\d{1,78})$/

/** One account: balance, nonce, code, cells of its storage, its newest logs. @type {ViewMaker} */
export const addressView = async (context, [given = ''], signal) => {
  if (!isAddress(given)) return missing('There is no such address')
  const address = given.toLowerCase()
  const [head, balance, nonce, code] = await context.client.all(
    [
      { method: 'eth_blockNumber' },
      { method: 'eth_getBalance', params: [address, 'latest'] },
      { method: 'eth_getTransactionCount', params: [address, 'latest'] },
      { method: 'eth_getCode', params: [address, 'latest'] },
    ],
    signal,
  )
  const size = (code.length - 2) / 2
  // It may have been compiled a moment ago.
  if (size > 0 && context.contracts.of(address, code) === null) await readProject(context)
  const [token, panel, transactions, transfers, logs] = await Promise.all([
    size === 0 ? null : tokenSection(context, address, signal),
    size === 0 ? null : contractPanel(context, { address, code }, signal),
    accountTransactions(context, address, BigInt(head), signal),
    transfersSection(context, address, BigInt(head), signal),
    size === 0 ? null : recentLogs(context, address, BigInt(head), signal),
  ])
  const shown = checksumAddress(address, context.chainId)
  const name = nativeName(address)
  const artifact = size === 0 ? null : context.contracts.of(address, code)
  const kind = name ?? (size === 0 ? null : 'contract')
  return {
    title: `Address ${shown.slice(0, 10)}…`,
    content: [
      heading(
        'Address',
        kind === null ? null : el('span', { class: 'tag' }, kind),
        artifact === null ? null : said(artifact.name),
      ),
      facts([
        ['Address', wholeHash(shown, 'address')],
        ['Balance', amount(formatRbtc(BigInt(balance)))],
        ['In wei', amount(formatInteger(BigInt(balance)))],
        [
          'Send money',
          context.isDevelopment
            ? el('a', { href: `#/dev/${encodeURIComponent(shown)}` }, 'from an account of the node')
            : null,
        ],
        ['Nonce', formatInteger(BigInt(nonce))],
        ['Code', size === 0 ? 'none' : `${formatInteger(size)} bytes`],
      ]),
      token ?? '',
      panel ?? '',
      transactions,
      transfers,
      logs ?? '',
      section('Storage', storageForm(context, address, signal)),
      size === 0 ? '' : folded('Code', longText(code, 'Code')),
    ].filter((part) => part instanceof Node),
  }
}

/**
 * Reads a cell of the storage of an account.
 * @param {Context} context
 * @param {string} address
 * @param {AbortSignal} signal
 */
function storageForm({ client }, address, signal) {
  const input = el('input', {
    id: 'storage-position',
    name: 'position',
    inputmode: 'text',
    autocomplete: 'off',
    spellcheck: 'false',
    required: true,
    placeholder: '0',
  })
  const output = el('output', { for: 'storage-position' })
  const read = async () => {
    const text = input.value.trim()
    if (!POSITION.test(text)) {
      fill(output, notice('A position is a whole number, decimal or 0x-hex.'))
      return
    }
    const position = `0x${BigInt(text).toString(16)}`
    try {
      const word = await client.call('eth_getStorageAt', [address, position, 'latest'], signal)
      fill(output, [
        el('p', {}, wholeHash(String(word), 'word')),
        el('p', { class: 'quiet' }, `as a number: ${formatInteger(BigInt(word))}`),
      ])
    } catch (error) {
      if (!signal.aborted) fill(output, notice(error instanceof Error ? error.message : String(error)))
    }
  }
  return el(
    'form',
    {
      class: 'inline',
      on: {
        submit: (event) => {
          event.preventDefault()
          void read()
        },
      },
    },
    el('label', { for: 'storage-position' }, 'Position of a cell'),
    input,
    el('button', { type: 'submit' }, 'Read'),
    output,
  )
}
