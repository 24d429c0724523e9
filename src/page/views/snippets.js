/**
 * A request as people write it with a tool.
 * @typedef {object} Snippet
 * @property {string} tool
 * @property {string} text
 */

/**
 * The same request for several tools.
 * @param {string} url
 * @param {string} method
 * @param {readonly unknown[]} params
 * @returns {Snippet[]}
 */
export function snippets(url, method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const list = JSON.stringify(params)
  return [
    {
      tool: 'curl',
      text: `curl ${shellQuoted(url)} \\\n  -H 'content-type: application/json' \\\n  -d ${shellQuoted(body)}`,
    },
    {
      tool: 'ethers',
      text: `import { JsonRpcProvider } from 'ethers'\n\nconst provider = new JsonRpcProvider(${quoted(url)})\nconsole.log(await provider.send(${quoted(method)}, ${list}))`,
    },
    {
      tool: 'viem',
      text: `import { createPublicClient, http } from 'viem'\n\nconst client = createPublicClient({ transport: http(${quoted(url)}) })\nconsole.log(await client.request({ method: ${quoted(method)}, params: ${list} }))`,
    },
  ]
}

/** @param {string} text */
function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** @param {string} text */
function quoted(text) {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
