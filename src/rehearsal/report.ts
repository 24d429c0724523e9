/** Report of a step for the user. */
export interface StepReport {
  readonly title: string
  /** The report of what happened, in whole sentences. */
  readonly text: string
  /** Observations: transaction ids, amounts, the state of the Bridge. */
  readonly metadata: readonly (readonly [name: string, value: string])[]
}

const SATOSHI_DIGITS = 8
const WEI_DIGITS = 18

/** Satoshi as bitcoin. */
export function formatBitcoin(satoshi: bigint): string {
  return `${toDecimal(satoshi, SATOSHI_DIGITS)} BTC`
}

/** Wei as RBTC. */
export function formatRbtc(wei: bigint): string {
  return `${toDecimal(wei, WEI_DIGITS)} RBTC`
}

function toDecimal(value: bigint, digits: number): string {
  const text = value.toString().padStart(digits + 1, '0')
  const fraction = text.slice(-digits).replace(/0+$/, '')
  return fraction === '' ? text.slice(0, -digits) : `${text.slice(0, -digits)}.${fraction}`
}
