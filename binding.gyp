{
  "targets": [
    {
      "target_name": "rhizome",
      "type": "none",
      "actions": [
        {
          "action_name": "cargo",
          "message": "Building the native core with cargo",
          "inputs": [],
          "outputs": ["native/addon/cargo"],
          "action": ["node", "native/build.mjs"]
        }
      ]
    }
  ]
}
