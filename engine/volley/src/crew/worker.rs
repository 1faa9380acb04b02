//! One thread: it has a pool of connections for each target, and obeys orders.

use crate::intervals::Interval;
use crate::io::{Backend, RingSize};
use crate::limits;
use crate::patience::Patience;
use crate::pool::{Pool, Share};
use crate::slice::{self, Control, Live, Outcome, Part, Plan};
use crate::tally::Tally;
use crate::target::Target;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};

/// What a thread is to do.
pub(super) enum Order {
    Open { target: usize },
    Run { target: usize, plan: Arc<Plan>, control: Arc<Control> },
}

/// What it says.
pub(super) enum Reply {
    Opened(Box<Tally>),
    Ready,
    Interval(Interval),
    Done(Box<Outcome>),
    Failed(io::Error),
}

/// A thread's place.
pub(super) struct Post {
    pub(super) share: Share,
    pub(super) cpu: Option<usize>,
    pub(super) ring: RingSize,
    pub(super) targets: Vec<Arc<Target>>,
    pub(super) live: Arc<Live>,
    pub(super) orders: Receiver<Order>,
    pub(super) replies: Sender<Reply>,
}

/// A thread's life: obeys orders until there are none.
pub(super) fn work<B: Backend>(post: &Post) {
    let result = serve::<B>(post);
    if let Err(error) = result {
        // If nobody listens any more, nobody needs to know.
        let _ = post.replies.send(Reply::Failed(error));
    }
}

fn serve<B: Backend>(post: &Post) -> io::Result<()> {
    if let Some(cpu) = post.cpu {
        limits::pin(&[cpu]).map_err(io::Error::other)?;
    }
    limits::wake_on_time();
    let patience = Patience::here();
    let share = post.share;
    let mut pools = Vec::new();
    for target in &post.targets {
        pools.push(Pool::<B>::new(target, share, post.ring)?);
    }
    let mut reply = Reply::Ready;
    while post.replies.send(reply).is_ok()
        && let Ok(order) = post.orders.recv()
    {
        reply = match order {
            Order::Open { target } => {
                Reply::Opened(Box::new(slice::open(&mut pools[target], patience)?))
            }
            Order::Run { target, plan, control } => {
                let part = Part {
                    share,
                    plan: &plan,
                    control: &control,
                    live: &post.live,
                    tell: &mut |interval| {
                        let _ = post.replies.send(Reply::Interval(interval));
                    },
                };
                Reply::Done(Box::new(slice::run(&mut pools[target], patience, part)?))
            }
        };
    }
    Ok(())
}
