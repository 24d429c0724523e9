//! A timer that wakes a poll more precisely than the poll's own timeout, which counts milliseconds.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::time::Duration;

use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};

pub(crate) struct Timer(OwnedFd);

impl Timer {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self(timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK)?))
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        self.0.as_raw_fd()
    }

    /// Fires once after the delay, but not before a nanosecond has passed, because zero would disarm the timer.
    pub(crate) fn fire_in(&self, delay: Duration) -> io::Result<()> {
        let delay = delay.max(Duration::from_nanos(1));
        let value = Timespec { tv_sec: delay.as_secs().cast_signed(), tv_nsec: delay.subsec_nanos().into() };
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: value };
        timerfd_settime(&self.0, TimerfdTimerFlags::empty(), &once)?;
        Ok(())
    }
}
