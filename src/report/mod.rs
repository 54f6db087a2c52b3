//! Pairings and summaries become a report: terminal table, markdown, CSV, JSON. PURE: returns text.
//!
//! A report is a function of the evidence. It refuses to hide: misses, ambiguous pairs and simulated figures are
//! printed in every rendering.
