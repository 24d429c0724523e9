const NAMES = new Map([
  [30, 'Rootstock main network'],
  [31, 'Rootstock test network'],
  [32, 'Development network'],
  [33, 'Local development chain'],
  [34, 'Second Rootstock test network'],
])

/** The name of a network. @param {number} chainId */
export function networkName(chainId) {
  return NAMES.get(chainId) ?? `Chain ${chainId}`
}
