//! Load generator of `npm run bench`: `rhizome-load JOB.json` runs the job in the file and prints its results as JSON.

mod address;
mod connection;
mod idle;
mod job;
mod load;
mod meter;
mod response;
mod subscribers;
mod timer;

use std::error::Error;
use std::path::Path;
use std::time::Duration;

use address::Address;
use connection::Requests;
use job::{Job, read_job, read_lines};
use load::LoadOptions;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use subscribers::SubscriberOptions;

fn main() -> Result<(), Box<dyn Error>> {
    let file = std::env::args().nth(1).ok_or("usage: rhizome-load JOB.json")?;
    let most = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: most, maximum: most })?;
    match read_job(Path::new(&file))? {
        Job::Load { url, requests, paths, headers, connections, seconds, rate, once, drops, timeline } => {
            let address = Address::parse(&url)?;
            let requests = Requests::new(&address, &paths, &headers, read_lines(&requests)?);
            let options = LoadOptions { connections, seconds, rate, once, drops, timeline };
            println!("{}", serde_json::to_string(&load::run(&address, &requests, &options)?)?);
        }
        Job::Idle { url, connections, request, ready } => {
            let stats = idle::run(&Address::parse(&url)?, connections, &request, &ready)?;
            println!("{}", serde_json::to_string(&stats)?);
        }
        Job::Subscribe { url, connections, subscription, trigger_url, triggers, pause_milliseconds, ready } => {
            let trigger_address = Address::parse(&trigger_url)?;
            let triggers = Requests::new(&trigger_address, &[], &[], read_lines(&triggers)?);
            let options = SubscriberOptions {
                connections,
                subscription: &subscription,
                pause: Duration::from_millis(pause_milliseconds),
                ready: &ready,
            };
            let stats = subscribers::run(&Address::parse(&url)?, &trigger_address, &triggers, &options)?;
            println!("{}", serde_json::to_string(&stats)?);
        }
    }
    Ok(())
}
