/** @import { Usage, UsageSums, ViewMaker } from '../types.js' */
import { formatInteger } from '../chain/amounts.js'
import { readUsage } from '../rpc/usage.js'
import { el } from '../ui/dom.js'
import { facts, heading, notice, section, table } from '../ui/parts.js'

/** @type {readonly [keyof Usage['limits'], string][]} */
const LIMITS = [
  ['rate', 'Cost units a second'],
  ['burst', 'Cost units at once'],
  ['dailyQuota', 'Cost units a day'],
  ['concurrency', 'Requests at once'],
  ['sockets', 'WebSockets'],
  ['subscriptions', 'Subscriptions'],
]

/** @type {readonly [keyof UsageSums, string][]} */
const SUMS = [
  ['requests', 'Requests'],
  ['cost', 'Cost units'],
  ['bytes', 'Bytes of answers'],
  ['errors', 'Errors'],
  ['refused', 'Refused'],
]

/** What was asked with the key of this page, and what is left of its limits. @type {ViewMaker} */
export const usageView = async (context, _parts, signal) => {
  const title = 'Usage'
  const forget = el(
    'button',
    { type: 'button', class: 'plain', on: { click: () => context.signOut() } },
    'Forget the key',
  )
  if (!context.endpoint.hasKey)
    return { title, content: [heading(title), notice('No API key is in use here.')] }
  const usage = await readUsage(context.endpoint, signal)
  if (usage === null) {
    return { title, content: [heading(title, forget), notice('This node does not count the use of keys.')] }
  }
  return {
    title,
    content: [
      heading(
        title,
        el('span', { class: 'quiet' }, usage.name === '' ? usage.id : `${usage.name} (${usage.id})`),
        forget,
      ),
      section(`Today, ${usage.day}`, todayFacts(usage)),
      section('Limits', limitTable(usage)),
      section(`By method, last 30 days`, methodTable(usage)),
      section('By day', chart(usage), dayTable(usage)),
    ],
  }
}

/** @param {Usage} usage */
function todayFacts({ today, left, limits, secondsLeft, timezone }) {
  return facts([
    ...SUMS.map(([name, text]) => /** @type {const} */ ([text, formatInteger(today[name])])),
    [
      'Left of the day',
      left.dailyQuota === null
        ? 'no limit'
        : `${formatInteger(left.dailyQuota)} of ${limitText(limits.dailyQuota)} cost units`,
    ],
    [
      'The day ends in',
      `${Math.floor(secondsLeft / 3600)} h ${Math.floor((secondsLeft % 3600) / 60)} min (${timezone})`,
    ],
  ])
}

/** @param {Usage} usage */
function limitTable({ limits, open, left }) {
  /** @type {Partial<Record<keyof Usage['limits'], string>>} */
  const now = {
    burst: left.rate === null ? '' : `${formatInteger(Math.floor(left.rate))} left`,
    concurrency: `${formatInteger(open.requests)} open`,
    sockets: `${formatInteger(open.sockets)} open`,
    subscriptions: `${formatInteger(open.subscriptions)} open`,
  }
  return table(
    'Limits of the key',
    [{ title: 'Limit' }, { title: 'At most', kind: 'end' }, { title: 'Now', kind: 'end' }],
    LIMITS.map(([name, text]) => [text, limitText(limits[name]), now[name] ?? '']),
  )
}

/** @param {number | null | undefined} limit */
function limitText(limit) {
  return limit === null || limit === undefined ? 'no limit' : formatInteger(limit)
}

/** @param {Usage} usage */
function methodTable({ days }) {
  /** @type {Map<string, UsageSums>} */
  const sums = new Map()
  for (const { method, ...usage } of days.flatMap(({ methods }) => methods)) {
    sums.set(method, added(sums.get(method), usage))
  }
  const rows = [...sums].sort(([, a], [, b]) => b.cost - a.cost)
  return sumTable('Usage by method', 'Method', rows)
}

/** @param {Usage} usage */
function dayTable({ days }) {
  return sumTable(
    'Usage by day',
    'Day',
    days.toReversed().map(({ day, ...sums }) => [day, sums]),
  )
}

/**
 * @param {string} caption
 * @param {string} first
 * @param {readonly (readonly [string, UsageSums])[]} rows
 */
function sumTable(caption, first, rows) {
  return table(
    caption,
    [
      { title: first },
      ...SUMS.map(([name, title]) => ({
        title,
        kind: /** @type {'end' | 'end wide'} */ (name === 'bytes' || name === 'errors' ? 'end wide' : 'end'),
      })),
    ],
    rows.map(([name, sums]) => [el('code', {}, name), ...SUMS.map(([sum]) => formatInteger(sums[sum]))]),
  )
}

/** The cost of the days as columns; the table below says the same. @param {Usage} usage */
function chart({ days }) {
  const most = Math.max(1, ...days.map(({ cost }) => cost))
  return el(
    'div',
    { class: 'chart', 'aria-hidden': 'true' },
    ...days.map(({ day, cost }) => {
      const column = el('span', { title: `${day}: ${formatInteger(cost)} cost units` })
      column.style.setProperty('--share', String(cost / most))
      return column
    }),
  )
}

/**
 * @param {UsageSums | undefined} one
 * @param {UsageSums} other
 * @returns {UsageSums}
 */
function added(one, other) {
  if (one === undefined) return other
  return {
    requests: one.requests + other.requests,
    cost: one.cost + other.cost,
    bytes: one.bytes + other.bytes,
    errors: one.errors + other.errors,
    refused: one.refused + other.refused,
  }
}
