fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo:rerun-if-changed=../../workloads/helloworld.proto");
    let descriptors = protox::compile(["helloworld.proto"], ["../../workloads"])?;
    tonic_prost_build::configure()
        .build_client(false)
        .compile_fds(descriptors)?;
    Ok(())
}
