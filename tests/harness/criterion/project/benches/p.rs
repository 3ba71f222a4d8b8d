fn main() {
    if std::env::args().any(|word| word == "--help") {
        println!("This executable is a Criterion.rs benchmark.");
    }
    println!("{}: benchmark", env!("CARGO_PKG_NAME"));
}
