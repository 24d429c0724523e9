/** The addresses of an option, which are separated by commas. */
export function upstreamUrls(option: string): string[] {
  return option
    .split(',')
    .map((url) => url.trim())
    .filter((url) => url !== '')
}

/**
 * The part of an address that may be shown: its host. Keys stand in paths, queries and user names, and with some services in
 * the first label of the host, so that a long label is left out, too.
 */
export function upstreamName(url: string): string {
  if (!URL.canParse(url)) return 'an address that is no URL'
  const { hostname, port } = new URL(url)
  const labels = hostname.split('.').map((label) => (label.length > MAX_LABEL_CHARACTERS ? '…' : label))
  return port === '' ? labels.join('.') : `${labels.join('.')}:${port}`
}

/** Longer labels of hosts look like keys. */
const MAX_LABEL_CHARACTERS = 20

/** A text of somebody else without the addresses in it. */
export function withoutUrls(text: string): string {
  return text.replace(/\b(?:https?|wss?):\/\/\S+/gi, '[address]').slice(0, MAX_TEXT_CHARACTERS)
}

const MAX_TEXT_CHARACTERS = 300
