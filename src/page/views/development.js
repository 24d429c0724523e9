/** @import { Context, Head, ViewMaker } from '../types.js' */
import { isAddress } from '../chain/address.js'
import { formatInteger } from '../chain/amounts.js'
import { sendersOf, sendFrom } from '../rpc/senders.js'
import { addressField } from '../ui/addressField.js'
import { amountField, numberField } from '../ui/amountField.js'
import { announce } from '../ui/announce.js'
import { el, fill } from '../ui/dom.js'
import { addressLink, blockLink } from '../ui/links.js'
import { heading, notice, section, table } from '../ui/parts.js'
import { senderSelect } from '../ui/senderSelect.js'
import { dateText } from '../ui/time.js'
import { actionForm } from './actionForm.js'
import { developmentAccounts } from './developmentAccounts.js'
import { failedCalls } from './failedCalls.js'
import { missing } from './notFound.js'
import { refusal, showSent } from './sent.js'

const NONE_FAILED =
  'None since the node started. A tool that estimates first sends no transaction when that fails: it is told here.'

/** What one may do with a chain of one's own. The address of the page may name who gets money. @type {ViewMaker} */
export const developmentView = async (context, [receiver = ''], signal) => {
  if (!context.isDevelopment)
    return missing('There is no such page', 'This node has no chain for development.')
  const accounts = await developmentAccounts(context, signal)
  const time = el('p', { class: 'quiet' })
  const money = el('div', {})
  const showMoney = async () =>
    fill(money, await sendForm(context, isAddress(receiver) ? receiver : '', signal))
  await showMoney()
  const failed = await failedCalls(context, { empty: NONE_FAILED }, signal)
  return {
    title: 'Development',
    content: [
      heading('Development', el('span', { class: 'quiet' }, 'a chain of your own')),
      failed,
      section('Accounts', accounts.element),
      section('Send money', money),
      section('Blocks', mineForm(context, signal)),
      section('Time', time, timeForm(context, signal), nextTimeForm(context, signal)),
      section('Snapshots', snapshots(context, accounts.refresh, signal)),
      section('Impersonate', impersonation(context, showMoney, signal)),
    ],
    onHead: (/** @type {Head} */ { number, timestamp }) => {
      fill(time, ['Block ', blockLink(number), ` is of ${dateText(timestamp)}, ${timestamp} s since 1970.`])
      // The next head brings another try, and who has left needs none.
      accounts.refresh().catch(() => {})
    },
  }
}

/**
 * @param {Context} context
 * @param {string} receiver
 * @param {AbortSignal} signal
 */
async function sendForm(context, receiver, signal) {
  const senders = await sendersOf(context, signal)
  if (senders.length === 0) return notice('The node has no account to send from.')
  const from = senderSelect(context, senders, 'money-from')
  const to = addressField('money-to', 'To', receiver)
  const amount = amountField('money-amount', 'Amount')
  return actionForm(
    context,
    {
      fields: [from.element, to.element, amount.element],
      label: 'Send',
      run: async (output) => {
        const sender = from.chosen()
        const payload = { to: to.read(), value: amount.read() }
        if (sender === null) return
        void showSent(context, output, await sendFrom(context, sender, payload, signal), signal)
      },
    },
    signal,
  )
}

/**
 * @param {Context} context
 * @param {AbortSignal} signal
 */
function mineForm(context, signal) {
  const blocks = numberField('mine-blocks', 'Blocks', 'one where it is empty')
  const interval = numberField('mine-interval', 'Seconds between them', 'one where it is empty')
  return actionForm(
    context,
    {
      fields: [blocks.element, interval.element],
      label: 'Mine',
      run: async (output) => {
        const params = [blocks.read() ?? 1n, interval.read() ?? 1n].map((value) => `0x${value.toString(16)}`)
        await context.client.call('hardhat_mine', params, signal)
        const head = BigInt(await context.client.call('eth_blockNumber', [], signal))
        say(output, ['The head is block ', blockLink(head), '.'], `the head is block ${head}`)
      },
    },
    signal,
  )
}

/**
 * @param {Context} context
 * @param {AbortSignal} signal
 */
function timeForm(context, signal) {
  const seconds = numberField('time-forward', 'Go forward', 'seconds')
  return actionForm(
    context,
    {
      fields: seconds.element,
      label: 'Go forward and mine',
      run: async (output) => {
        const by = Number(seconds.read() ?? 0n)
        await context.client.call('evm_increaseTime', [by], signal)
        await context.client.call('evm_mine', [], signal)
        say(output, `The clock of the chain went forward by ${formatInteger(by)} s.`)
      },
    },
    signal,
  )
}

/**
 * @param {Context} context
 * @param {AbortSignal} signal
 */
function nextTimeForm(context, signal) {
  const timestamp = numberField('time-next', 'Time of the next block', 'seconds since 1970')
  return actionForm(
    context,
    {
      fields: timestamp.element,
      label: 'Set',
      run: async (output) => {
        const at = Number(timestamp.read() ?? 0n)
        await context.client.call('evm_setNextBlockTimestamp', [at], signal)
        say(output, `The next block is of ${dateText(at)}.`)
      },
    },
    signal,
  )
}

/**
 * Snapshots that were taken here since the page was opened.
 * @param {Context} context
 * @param {() => Promise<void>} onRevert
 * @param {AbortSignal} signal
 */
function snapshots(context, onRevert, signal) {
  const { client } = context
  const list = el('div', {})
  const show = () =>
    fill(
      list,
      table(
        'Snapshots',
        [{ title: 'Snapshot' }, { title: 'Block' }, { title: 'Revert', kind: 'end' }],
        context.snapshots.map(({ id, block }) => [id, blockLink(block), revertButton(id)]),
        'None was taken here.',
      ),
    )
  const output = el('div', { class: 'result' })
  /** @param {string} id */
  const revertButton = (id) => {
    const button = el(
      'button',
      {
        type: 'button',
        class: 'worded',
        'aria-label': `Revert to snapshot ${id}`,
        on: { click: () => void revert(id, button) },
      },
      'Revert',
    )
    return button
  }
  /**
   * @param {string} id
   * @param {HTMLButtonElement} button
   */
  const revert = async (id, button) => {
    button.disabled = true
    try {
      const isDone = await client.call('evm_revert', [id], signal)
      // A revert uses up its snapshot and those that were taken after it.
      const index = context.snapshots.findIndex((one) => one.id === id)
      context.snapshots.splice(index)
      context.tokens.forget()
      await onRevert()
      say(
        output,
        isDone === true
          ? `The chain is as it was at snapshot ${id}.`
          : 'The node has no such snapshot any more.',
      )
    } catch (error) {
      if (!signal.aborted) fill(output, refusal(context, error, null))
    }
    show()
  }
  const take = actionForm(
    context,
    {
      label: 'Take a snapshot',
      run: async () => {
        const [block, id] = await client.all(
          [{ method: 'eth_blockNumber' }, { method: 'evm_snapshot' }],
          signal,
        )
        context.snapshots.push({ id: String(id), block: BigInt(block) })
        announce(`snapshot ${id} is taken`)
        show()
      },
    },
    signal,
  )
  show()
  return [list, output, take]
}

/**
 * Addresses that the node sends from without their keys.
 * @param {Context} context
 * @param {() => Promise<void>} onChange
 * @param {AbortSignal} signal
 */
function impersonation(context, onChange, signal) {
  const { client, impersonated } = context
  const list = el('div', {})
  const show = () =>
    fill(
      list,
      table(
        'Impersonated addresses',
        [{ title: 'Address' }, { title: 'Stop', kind: 'end' }],
        [...impersonated].map((address) => [addressLink(context, address), stopButton(address)]),
        'Nobody is impersonated from here.',
      ),
    )
  /** @param {string} address */
  const stopButton = (address) =>
    el(
      'button',
      {
        type: 'button',
        class: 'worded',
        'aria-label': `Stop impersonating ${address}`,
        on: { click: () => void stop(address) },
      },
      'Stop',
    )
  /** @param {string} address */
  const stop = async (address) => {
    try {
      await client.call('hardhat_stopImpersonatingAccount', [address], signal)
      impersonated.delete(address)
      await onChange()
      show()
    } catch (error) {
      if (!signal.aborted) fill(list, refusal(context, error, null))
    }
  }
  const address = addressField('impersonate', 'Address')
  const form = actionForm(
    context,
    {
      fields: address.element,
      label: 'Impersonate',
      run: async (output) => {
        const chosen = address.read()
        await client.call('hardhat_impersonateAccount', [chosen], signal)
        impersonated.add(chosen)
        await onChange()
        show()
        say(output, 'It can be chosen wherever somebody sends, here and in the forms of contracts.')
      },
    },
    signal,
  )
  show()
  return [list, form]
}

/**
 * Says what came of something, also to people who listen.
 * @param {Element} output
 * @param {import('../types.js').Child} shown
 * @param {string} [heard]
 */
function say(output, shown, heard) {
  fill(output, el('p', {}, shown))
  announce(heard ?? String(shown))
}
