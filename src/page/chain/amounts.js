const DECIMALS = 18

/**
 * A whole number with commas between thousands, exact at any size.
 * @param {bigint | number} value
 */
export function formatInteger(value) {
  return value.toString().replaceAll(/\B(?=(\d{3})+$)/g, ',')
}

/**
 * An amount of smallest units as a decimal number, exact, without trailing zeros.
 * @param {bigint} units
 * @param {number} [decimals] digits behind the point
 */
export function formatUnits(units, decimals = DECIMALS) {
  const sign = units < 0n ? '-' : ''
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${sign}${formatInteger(BigInt(whole))}${fraction === '' ? '' : `.${fraction}`}`
}

const AMOUNT = /^(\d{1,60})(?:\.(\d{0,18}))?$/

/**
 * An amount as people write it in smallest units, exact; null for what is none.
 * @param {string} text
 */
export function parseUnits(text) {
  const [, whole, fraction = ''] = AMOUNT.exec(text.trim().replaceAll(/[,_]/g, '')) ?? []
  return whole === undefined ? null : BigInt(whole + fraction.padEnd(DECIMALS, '0'))
}

/** Wei as RBTC. @param {bigint} wei */
export function formatRbtc(wei) {
  return `${formatUnits(wei)} RBTC`
}

const SATOSHI_DECIMALS = 8

/** Satoshi as BTC. @param {bigint | string} satoshi a string is 0x-hex */
export function formatBtc(satoshi) {
  return `${formatUnits(BigInt(satoshi), SATOSHI_DECIMALS)} BTC`
}

/**
 * A part in percent with one digit; empty where the whole is zero.
 * @param {bigint} part
 * @param {bigint} whole
 */
export function formatShare(part, whole) {
  if (whole === 0n) return ''
  return `${formatUnits((part * 1000n + whole / 2n) / whole, 1)} %`
}

const BYTE_UNITS = /** @type {const} */ (['bytes', 'KiB', 'MiB', 'GiB', 'TiB'])

/** A number of bytes in the unit that gives it few digits. @param {bigint} bytes */
export function formatBytes(bytes) {
  let [value, unit] = [Number(bytes), 0]
  while (value >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`
}
