const WEI_PER_COIN = 10n ** 18n

/** An amount in wei as RBTC, with commas and as many digits behind the point as it has; without the unit. */
export function formatCoins(wei: bigint): string {
  const whole = (wei / WEI_PER_COIN).toLocaleString('en-US')
  const fraction = (wei % WEI_PER_COIN).toString().padStart(18, '0').replace(/0+$/, '')
  return fraction === '' ? whole : `${whole}.${fraction}`
}
