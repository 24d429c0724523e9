#!/bin/sh
# Starts the program of the image (decisions.md D90). Without a network the node would be one of regtest, the development chain, with its
# port open to others: whoever runs the image says which network is meant, in the environment, as a flag or in a file.
set -eu
rhizome=/opt/rhizome/node_modules/.bin/rhizome
if [ "${1:-}" = start ] && [ -z "${RHIZOME_NETWORK:-}${RHIZOME_CONFIG:-}" ]; then
  case " $* " in
    *' --network'[\ =]* | *' --config'[\ =]* | *' --help '*) ;;
    *)
      echo 'error: say which network: RHIZOME_NETWORK=main or testnet; regtest makes a development chain of its own' >&2
      exit 2
      ;;
  esac
fi
exec "$rhizome" "$@"
