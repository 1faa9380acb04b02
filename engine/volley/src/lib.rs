//! The commands of volley, the load engine of bakeoff: [`load`] and [`drive`] load servers,
//! [`null`] is a server that costs nothing.

pub mod cli;
pub mod drive;
pub mod load;
pub mod null;
pub mod report;
