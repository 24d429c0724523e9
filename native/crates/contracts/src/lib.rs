//! The precompiled contracts of the network except the Bridge
